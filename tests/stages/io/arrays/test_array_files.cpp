// Reads arrays of NumPy and MATLAB: their leads, their rate, and files in the same folder. The table of input classes
// (tests/input_classes) has the forms that a file may take.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/io/csv/ingest_options.h"
#include "stages/io/input.h"
#include "tests/support/array_files.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

class ArrayFiles : public testing::Test {
 protected:
  Recording<Cpu> read(const std::string& name, const std::string& bytes, const IngestOptions& options = {}) {
    return read_recording(cpu_, resolve_input(folder_.write(name, bytes), options), options);
  }
  std::vector<std::vector<float>> samples(const Recording<Cpu>& recording) {
    std::vector<std::vector<float>> leads;
    for (const auto& lead : recording.leads) leads.push_back(to_host(cpu_, lead.samples));
    return leads;
  }
  TemporaryFolder folder_;
  Cpu cpu_;
};

using Leads = std::vector<std::vector<float>>;

TEST_F(ArrayFiles, AllLeadsOfAnArrayAreRead) {
  const Leads expected = {{1, 2, 4}, {8, 16, 32}};
  const auto by_leads = packed_numbers<float>({1, 2, 4, 8, 16, 32}),
             by_time = packed_numbers<float>({1, 8, 2, 16, 4, 32});
  EXPECT_EQ(samples(read("a.npy", npy("<f4", "(2, 3)", by_leads))), expected);
  EXPECT_EQ(samples(read("a.npy", npy("<f4", "(3, 2)", by_time))), expected);
  EXPECT_EQ(samples(read("a.npy", npy("<f4", "(2, 3)", by_time, true))), expected) << "Fortran's order";
  EXPECT_EQ(samples(read("a.npy", npy("<f4", "(3, 2)", by_leads, true))), expected) << "Fortran's order";
  EXPECT_EQ(samples(read("a.mat", mat5({mat5_array("x", 2, 3, {1, 8, 2, 16, 4, 32})}))), expected);
  EXPECT_EQ(samples(read("a.mat", mat5({mat5_packed(mat5_array("x", 3, 2, {1, 2, 4, 8, 16, 32}))}))), expected);
  EXPECT_EQ(samples(read("any_name", npy("<f4", "(1, 2, 3)", by_leads))), expected) << "dimensions of 1 do not count";
}

TEST_F(ArrayFiles, LeadsAreChosenByPosition) {
  const std::string file = npy("<f4", "(2, 3)", packed_numbers<float>({1, 2, 4, 8, 16, 32}));
  EXPECT_EQ(samples(read("a.npy", file, {.column = "1"})), (Leads{{8, 16, 32}}));
  EXPECT_EQ(samples(read("a.npy", file, {.first_lead_alone = true})), (Leads{{1, 2, 4}}));
  expect_error(ErrorKind::input, "no lead at position 2: there are 2", [&] { read("a.npy", file, {.column = "2"}); });
}

TEST_F(ArrayFiles, NaNIsMissing) {
  const auto recording =
      read("a.npy", npy("<f8", "(3,)", packed_numbers<double>({1, std::numeric_limits<double>::quiet_NaN(), 3})));
  EXPECT_EQ(recording.leads.front().missing, 1);
  EXPECT_EQ(samples(recording), (Leads{{1, 2, 3}}));
}

// The first 64 samples determine whether a lead holds times.
TEST_F(ArrayFiles, TimesRiseEvenlyInAllOfTheirSamples) {
  constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> values(2 * 128);
  for (int i = 0; i < 128; ++i) values[i] = static_cast<float>(i), values[128 + i] = static_cast<float>(i * i % 7);
  const auto leads = [&] { return read("a.npy", npy("<f4", "(2, 128)", packed_numbers(values))).leads.size(); };
  EXPECT_EQ(leads(), 1u) << "the first one holds times";
  std::fill(values.begin(), values.begin() + 62, kMissing);
  EXPECT_EQ(leads(), 2u) << "one step";
  values[62] = kMissing;
  EXPECT_EQ(leads(), 2u) << "no step";
}

// However many samples are read at a time, the message is the same.
TEST_F(ArrayFiles, TheEarliestInfiniteSampleOfAllLeadsIsReported) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  for (const std::string& file :
       {npy("<f4", "(2, 4)", packed_numbers<float>({1, 2, 3, kInfinite, 1, kInfinite, 3, 4})),
        npy("<f4", "(4, 2)", packed_numbers<float>({1, 1, 2, kInfinite, 3, 3, kInfinite, 4}))})
    expect_error(ErrorKind::input, "lead 1, sample 1: the value is infinite", [&] { read("a.npy", file); });
  std::vector<float> times_or_not(2 * 64);  // all leads are examined, whether they hold times
  times_or_not[50] = times_or_not[64 + 10] = kInfinite;
  expect_error(ErrorKind::input, "lead 1, sample 10: the value is infinite",
               [&] { read("a.npy", npy("<f4", "(2, 64)", packed_numbers(times_or_not))); });
  std::vector<float> many(3 * 100'000);
  many[3 * 40'001 + 2] = many[3 * 40'000 + 2] = many[3 * 90'000] = kInfinite;
  expect_error(ErrorKind::input, "lead 2, sample 40000: the value is infinite",
               [&] { read("a.npy", npy("<f4", "(100000, 3)", packed_numbers(many))); });
}

TEST_F(ArrayFiles, AnArrayOfManyPiecesIsReadWhole) {
  std::vector<double> values;
  Leads expected(3);
  for (std::int64_t i = 0; i < 300'000; ++i) values.push_back(static_cast<double>(i * i % 7919) / 8);
  for (std::size_t i = 0; i < values.size(); ++i) expected[i % 3].push_back(static_cast<float>(values[i]));
  EXPECT_TRUE(samples(read("a.npy", npy("<f8", "(100000, 3)", packed_numbers(values)))) == expected);
  EXPECT_TRUE(samples(read("a.mat", mat5({mat5_packed(mat5_array("x", 3, 100'000, values))}))) == expected);
}

TEST_F(ArrayFiles, ANumberNamedLikeARateIsTheRate) {
  const std::string x = mat5_array("ecg", 1, 3, {1, 2, 4});
  const auto rate = [&](const std::string& name, double value) {
    return read("a.mat", mat5({x, mat5_array(name, 1, 1, {value})})).signal.sample_rate_hz;
  };
  for (const char* name : {"Fs", "fs", "sfreq", "sampling_rate", "SampleRate"}) EXPECT_EQ(rate(name, 500), 500) << name;
  for (const char* name : {"heart_rate", "gain", "f", "rate"}) EXPECT_EQ(rate(name, 500), std::nullopt) << name;
  EXPECT_EQ(rate("fs", 0), std::nullopt);
  const auto signal = read("a.mat", mat5({x, mat5_array("Fs", 1, 1, {500})})).signal;
  EXPECT_EQ(signal.rate_origin, RateOrigin::metadata);
  EXPECT_EQ(signal.metadata,
            (std::vector<std::string>{"variable 'ecg' (1 x 3) is read", "variable 'Fs' gives the sampling rate: 500"}));
  const auto torn = read("a.mat", mat5({x, mat5_array("Fs", 1, 1, {500}), mat5_array("fs", 1, 1, {250})})).signal;
  EXPECT_EQ(torn.sample_rate_hz, std::nullopt);
  EXPECT_EQ(torn.warnings.size(), 1u);
}

TEST_F(ArrayFiles, AMatFileWithAHeaderIsARecord) {
  const std::string file = mat4("val", 1, 4, packed_numbers<std::int16_t>({200, 400, -200, 0}));
  folder_.write("r.hea", "r 1 500 4\nr.mat 16+24 200/mV 16 0 200 0 0 II\n");
  const auto recording = read("r.mat", file);
  EXPECT_EQ(recording.signal.format, "WFDB");
  EXPECT_EQ(recording.signal.sample_rate_hz, 500);
  EXPECT_EQ(recording.signal.name, "II");
  EXPECT_EQ(samples(recording), (Leads{{1, 2, -1, 0}}));
  folder_.write("r.hea", "r 1 500 4\nother.dat 16 200/mV 16 0 200 0 0 II\n");
  EXPECT_EQ(read("r.mat", file).signal.format, "MATLAB") << "the header does not name it";
}

}  // namespace
}  // namespace beatscan
