// Reads EDF and BDF files that are put together here byte by byte, and one that EDFlib writes.
#include "stages/io/edf/edf_file.h"

#include <edflib.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/io/csv/ingest_options.h"
#include "stages/io/input.h"
#include "tests/stages/io/edf/edf_bytes.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

template <class Context>
class EdfFiles : public OnBackend<Context> {
 protected:
  Recording<Context> read(const std::string& bytes, const std::string& lead = "") {
    const IngestOptions options{.column = lead};
    return read_recording(this->context(), resolve_input(folder_.write("x.edf", bytes), options), options);
  }
  std::vector<float> values(const std::string& bytes, const std::string& lead = "") {
    return to_host(this->context(), read(bytes, lead).leads.front().samples);
  }
  void expect_refused(const std::string& part, const std::string& bytes, const std::string& lead = "") {
    expect_error(ErrorKind::input, part, [&] { read(bytes, lead); });
  }
  TemporaryFolder folder_;
};
TYPED_TEST_SUITE(EdfFiles, Backends, BackendNames);

const Edf kTwoSignals = {
    {{.label = "EEG Cz", .unit = "uV", .digital_min = -100, .digital_max = 100, .samples = 1},
     {.label = "ECG II", .physical_min = "-10", .physical_max = "10.475", .digital_min = -2048, .digital_max = 2047}}};

TYPED_TEST(EdfFiles, PhysicalValuesOfASignal) {
  const auto bytes = bytes_of(kTwoSignals, {-100, -2048, 2047, 0, 1, 50, 7, 8, 9, 10});
  EXPECT_EQ(this->values(bytes, "EEG Cz"), (std::vector<float>{-5, 2.5}));
  const auto ecg = this->values(bytes);
  ASSERT_EQ(ecg.size(), 8u);
  const std::vector<int> digital = {-2048, 2047, 0, 1, 7, 8, 9, 10};  // a step is 0.005 physical units
  for (std::size_t i = 0; i < ecg.size(); ++i) EXPECT_NEAR(ecg[i], -10 + (digital[i] + 2048) * 0.005, 1e-6);
}

TYPED_TEST(EdfFiles, MayBeNamedAsCsv) {
  const auto path = this->folder_.write("x.csv", bytes_of(kTwoSignals, {-100, -2048, 2047, 0, 1, 50, 7, 8, 9, 10}));
  const IngestOptions options{.column = "EEG Cz"};
  const auto recording = read_recording(this->context(), resolve_input(path, options), options);
  EXPECT_EQ(recording.signal.format, "EDF");
  EXPECT_EQ(to_host(this->context(), recording.leads.front().samples), (std::vector<float>{-5, 2.5}));
}

TYPED_TEST(EdfFiles, SayWhatTheyAre) {
  const auto recording = this->read(bytes_of(kTwoSignals, {0, 1, 2, 3, 4}));
  const auto& signal = recording.signal;
  EXPECT_EQ(signal.format, "EDF");
  EXPECT_EQ(signal.names, (std::vector<std::string>{"EEG Cz", "ECG II"}));
  EXPECT_EQ(signal.name, "ECG II") << "the first that is an ECG";
  EXPECT_EQ(signal.unit, "mV");
  EXPECT_EQ(signal.sample_rate_hz, 4);
  EXPECT_EQ(signal.rate_origin, RateOrigin::header);
  EXPECT_EQ(recording.bytes, 256 * 3 + 10);
  EXPECT_EQ(this->read(bytes_of(kTwoSignals, {0, 1, 2, 3, 4}), "0").signal.unit, "uV");
  this->expect_refused("x.edf: no lead 'ECG I'; the leads are 'EEG Cz', 'ECG II'; did you mean 'ECG II'?",
                       bytes_of(kTwoSignals, {0, 1, 2, 3, 4}), "ECG I");
}

TYPED_TEST(EdfFiles, RatesOfDataRecordsOfAnyLength) {
  const auto rate_of = [&](int samples, const std::string& duration) {
    return *this->read(bytes_of({{{.samples = samples}}, "", duration},
                                std::vector<int>(static_cast<std::size_t>(samples), 1)))
                .signal.sample_rate_hz;
  };
  EXPECT_EQ(rate_of(250, "1"), 250);
  EXPECT_EQ(rate_of(1250, "2.5"), 500);
  EXPECT_EQ(rate_of(4993, "10"), 499.3);
  EXPECT_EQ(rate_of(1, ".0039062"), 256) << "a field of eight characters has no room for 1/256";
}

// Annotations are not a signal, and their text is not read.
TYPED_TEST(EdfFiles, OfTheKindEdfPlus) {
  const auto bytes = [](const char* kind) {
    std::vector<int> data = {1, 2, 3, 4};
    const std::string annotation = std::string("+0\x14\x14\0", 5) + std::string(5, '\0');
    for (std::size_t i = 0; i < annotation.size(); i += 2) data.push_back(annotation[i] | annotation[i + 1] << 8);
    return bytes_of(
        {{{}, {.label = "EDF Annotations", .unit = "", .physical_min = "-1", .physical_max = "1", .samples = 5}}, kind},
        data);
  };
  const auto recording = this->read(bytes("EDF+C"));
  EXPECT_EQ(recording.signal.format, "EDF+");
  EXPECT_EQ(recording.signal.names, std::vector<std::string>{"ECG II"});
  EXPECT_EQ(recording.samples(), 4);
  EXPECT_EQ(this->read(bytes("EDF+D")).samples(), 4);
}

TYPED_TEST(EdfFiles, OfTheKindBdf) {
  const auto recording = this->read(bytes_of({{{.label = "A1",
                                                .unit = "uV",
                                                .physical_min = "-8388608",
                                                .physical_max = "8388607",
                                                .digital_min = -8388608,
                                                .digital_max = 8388607}},
                                              "24BIT",
                                              "1",
                                              "",
                                              true},
                                             {1, -1, 8388607, -8388608}));
  EXPECT_EQ(recording.signal.format, "BDF");
  EXPECT_EQ(to_host(this->context(), recording.leads.front().samples), (std::vector<float>{1, -1, 8388607, -8388608}));
}

TYPED_TEST(EdfFiles, MayBePacked) {
  const std::string bytes = bytes_of(kTwoSignals, {0, 1, 2, 3, 4});
  const auto path = this->folder_.path() / "x.edf.gz";
  gzFile gz = gzopen(path.c_str(), "wb");
  gzwrite(gz, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(gz);
  const auto recording = read_recording(this->context(), resolve_input(path, {}), {});
  EXPECT_EQ(to_host(this->context(), recording.leads.front().samples), this->values(bytes));
}

TYPED_TEST(EdfFiles, ThatEdflibWrites) {
  const auto path = this->folder_.path() / "written.edf";
  const int handle = edfopen_file_writeonly(path.c_str(), EDFLIB_FILETYPE_EDFPLUS, 2);
  ASSERT_GE(handle, 0);
  for (int signal = 0; signal < 2; ++signal) {
    edf_set_samplefrequency(handle, signal, 500);
    edf_set_physical_maximum(handle, signal, 3);
    edf_set_physical_minimum(handle, signal, -3);
    edf_set_digital_maximum(handle, signal, 32767);
    edf_set_digital_minimum(handle, signal, -32768);
    edf_set_label(handle, signal, signal == 0 ? "Resp" : "V5");
    edf_set_physical_dimension(handle, signal, "mV");
  }
  std::vector<int> digital(500);
  std::vector<float> expected;
  for (int record = 0; record < 600; ++record) {  // more data than a block
    for (int i = 0; i < 500; ++i) digital[static_cast<std::size_t>(i)] = (record * 500 + i) * 7 % 65536 - 32768;
    for (int signal = 0; signal < 2; ++signal) ASSERT_EQ(edfwrite_digital_samples(handle, digital.data()), 0);
    const double step = 6.0 / 65535;
    for (const int value : digital) expected.push_back(static_cast<float>(step * (3 / step - 32767 + value)));
  }
  edfwrite_annotation_latin1(handle, 10'000, -1, "here");
  edfclose_file(handle);
  const auto recording = read_recording(this->context(), resolve_input(path, {}), {});
  EXPECT_EQ(recording.signal.name, "V5");
  EXPECT_EQ(recording.signal.sample_rate_hz, 500);
  EXPECT_TRUE(to_host(this->context(), recording.leads.front().samples) == expected);
}

TYPED_TEST(EdfFiles, ACutOffFileIsNeverAShorterOne) {
  const std::string bytes = bytes_of(kTwoSignals, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (std::size_t size = bytes.size() - 1; size >= 768; --size)
    this->expect_refused("x.edf: is cut off: it has " + std::to_string(size) + " bytes, and 788 by its header",
                         bytes.substr(0, size));
  this->expect_refused("x.edf: is too long: it has 790 bytes, and 788 by its header", bytes + "ab");
  for (const std::size_t size : {256u, 300u, 512u, 767u})
    this->expect_refused("x.edf: is cut off: it has " + std::to_string(size) + " bytes, and its header takes 768",
                         bytes.substr(0, size));
  this->expect_refused("x.edf: is cut off: it has 100 bytes, less than an EDF header", bytes.substr(0, 100));
}

TYPED_TEST(EdfFiles, HeadersThatCannotBe) {
  const std::vector<int> data = {1, 2, 3, 4};
  this->expect_refused("is cut off: ", bytes_of({{{}}, "", "1", "99999999"}, data));
  this->expect_refused("is cut off: ", bytes_of({{{.samples = 99999999}}, "", "1", "1"}, data));
  this->expect_refused("the physical range of signal 'ECG II' is out of float32's range",
                       bytes_of({{{.physical_min = "-1e35", .physical_max = "1e35"}}}, data));
  for (const auto& edf :
       {Edf{{{.physical_min = "5"}}}, Edf{{{.physical_min = "nan"}}}, Edf{{{.physical_max = "9e99999"}}},
        Edf{{{.physical_max = "x"}}}, Edf{{{.digital_min = 5, .digital_max = 5}}}, Edf{{{.digital_max = 99999}}},
        Edf{{{.samples = -4}}, "", "1", "1"}, Edf{{{}}, "", "0"}, Edf{{{}}, "", "-1"}, Edf{{{}}, "", "nan"},
        Edf{{{}}, "", "1", "0"}})
    this->expect_refused("x.edf: ", bytes_of(edf, data));
  std::string many = bytes_of({{{}}}, data);
  many.replace(252, 4, "9999").replace(184, 8, "2560000 ");
  this->expect_refused("x.edf: header: number of signals '9999' is not what EDF specifies", many);
}

// A CSV file may begin with the same bytes as an EDF file.
TYPED_TEST(EdfFiles, CsvIsNoEdf) {
  std::string text = "0       ,1\n";
  for (int i = 0; i < 100; ++i) text += "0,5\n";
  const IngestOptions options{.column = "1"};
  EXPECT_EQ(look_at(resolve_input(this->folder_.write("x.csv", text), options), options).format, "CSV");
  const auto unnamed = this->folder_.write("x", bytes_of(kTwoSignals, {0, 1, 2, 3, 4}));
  EXPECT_EQ(look_at(resolve_input(unnamed, {}), {}).format, "EDF");
}

TYPED_TEST(EdfFiles, AllLeadsOfOneRate) {
  const Edf edf{.signals = {{.label = "EEG"},
                            {.label = "ECG I", .physical_min = "-32768", .physical_max = "32767"},
                            {.label = "ECG II", .unit = "uV", .physical_min = "-32768", .physical_max = "32767"},
                            {.label = "V1", .samples = 2}}};
  std::vector<int> data;
  for (int i = 0; i < 14 * 3; ++i) data.push_back(i);
  const auto recording = this->read(bytes_of(edf, data));
  ASSERT_EQ(recording.leads.size(), 2u);
  EXPECT_EQ(recording.leads[0].name, "ECG I");
  EXPECT_EQ(recording.leads[1].unit, "uV");
  EXPECT_EQ(to_host(this->context(), recording.leads[0].samples),
            (std::vector<float>{4, 5, 6, 7, 18, 19, 20, 21, 32, 33, 34, 35}));
  EXPECT_EQ(to_host(this->context(), recording.leads[1].samples),
            (std::vector<float>{8, 9, 10, 11, 22, 23, 24, 25, 36, 37, 38, 39}));
  EXPECT_EQ(recording.signal.warnings, std::vector<std::string>{"signal 'V1' (2 Hz) has another rate than 'ECG I' (4 "
                                                                "Hz); it is left out"});
  const IngestOptions both{.leads = {"ECG I", "V1"}};
  expect_error(ErrorKind::input, "signal 'V1' (2 Hz) has another rate than 'ECG I' (4 Hz)", [&] {
    read_recording(this->context(), resolve_input(this->folder_.write("x.edf", bytes_of(edf, data)), both), both);
  });
}

TYPED_TEST(EdfFiles, NumberedSignalsAreAllRead) {
  Edf edf{.signals = {{.label = "Resp", .unit = "ohm"}, {.label = "Channel 1"}, {.label = "Channel 2"}}};
  const std::vector<int> data = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const auto numbered = this->read(bytes_of(edf, data));
  ASSERT_EQ(numbered.leads.size(), 2u);
  EXPECT_EQ(numbered.leads[0].name, "Channel 1");
  EXPECT_EQ(numbered.leads[1].name, "Channel 2");
  EXPECT_EQ(numbered.signal.warnings,
            std::vector<std::string>{"no lead is named like an ECG: 'Channel 1', 'Channel 2' are taken for its "
                                     "leads; --lead NAME reads one, --set ingest.leads=NAME,NAME some of them"});
  edf.signals[2].unit = "uV";
  EXPECT_EQ(this->read(bytes_of(edf, data)).leads.size(), 1u) << "of two units";
}

// Blocks of samples and the pieces that threads read begin anywhere within a data record.
TYPED_TEST(EdfFiles, OfManyBlocks) {
  constexpr int kRecords = 4700, kSamples = 301;
  const EdfSignal whole{.label = "ECG I", .physical_min = "-32768", .physical_max = "32767", .samples = kSamples};
  Edf edf{.signals = {whole, whole, whole}};
  edf.signals[1].label = "ECG II";
  edf.signals[2].label = "ECG V1";
  std::vector<int> data;
  std::vector<std::vector<float>> expected(3);
  for (int record = 0; record < kRecords; ++record)
    for (int lead = 0; lead < 3; ++lead)
      for (int i = 0; i < kSamples; ++i) {
        data.push_back(static_cast<int>(data.size() * 7919 % 65536) - 32768);
        expected[lead].push_back(static_cast<float>(data.back()));
      }
  const auto recording = this->read(bytes_of(edf, data));
  ASSERT_EQ(recording.leads.size(), 3u);
  for (int lead = 0; lead < 3; ++lead)
    EXPECT_TRUE(to_host(this->context(), recording.leads[lead].samples) == expected[lead]) << lead;
}

TYPED_TEST(EdfFiles, SpecifyTheTimeOfDay) {
  const auto start_of = [&](const std::string& start) {
    Edf edf = kTwoSignals;
    edf.start = start;
    return this->read(bytes_of(edf, {0, 1, 2, 3, 4})).signal.start;
  };
  const std::chrono::year_month_day day{std::chrono::year(2020), std::chrono::February, std::chrono::day(1)};
  EXPECT_EQ(start_of("01.02.2010.01.02"), (StartTime{36062, day}));
  EXPECT_EQ(start_of("01.02.2000.00.00"), (StartTime{0, day}));
  EXPECT_EQ(start_of("01.01.8500.00.00"), std::nullopt) << "so files without names begin";
}

}  // namespace
}  // namespace beatscan
