#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "app/common/npy.h"
#include "app/output/beats_table.h"
#include "app/output/tables/table_csv.h"
#include "app/report/drawing/pack.h"
#include "app/report/stored/beat_table.h"
#include "app/report/stored/npy_file.h"
#include "app/report/stored/stored_result.h"
#include "tests/support/beat_tables.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_result.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

constexpr const char* kHeader =
    "beat,sample,time_s,rr_prev_s,rr_next_s,length_samples,kept,split,latent_0,latent_1,score,anomalous,quality\n";

TEST(ReportBeats, ColumnsAreFoundByName) {
  TemporaryFolder folder;
  const auto path = folder.write("beats.csv", std::string(kHeader) +
                                                  "0,100,0.4,,0.5,125,1,train,1.5,-2,7.25,1,good\n"
                                                  "1,225,0.9,0.5,,130,0,,,,,,noisy\n"
                                                  "2,355,1.4,,,,1,test,1e30,0,-0.5,0,flat");  // no line end
  const BeatTable table = read_beat_table(path, true, {1, 0});
  ASSERT_EQ(table.size(), 3);
  EXPECT_EQ(table.sample, (std::vector<std::int64_t>{100, 225, 355}));
  EXPECT_EQ(table.kept, (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(table.anomalous, (std::vector<std::uint8_t>{1, 0, 0}));
  EXPECT_EQ(table.quality, (std::vector<Quality>{Quality::good, Quality::noisy, Quality::flat}));
  EXPECT_FLOAT_EQ(table.score[0], 7.25f);
  EXPECT_TRUE(std::isnan(table.score[1]));
  EXPECT_FLOAT_EQ(table.latent_x[0], -2);  // the second latent is asked for first
  EXPECT_FLOAT_EQ(table.latent_y[2], 1e30f);
  EXPECT_FLOAT_EQ(table.rr_next[0], 0.5f);
  EXPECT_TRUE(std::isnan(table.rr_next[1]));
  EXPECT_TRUE(std::isnan(table.rr_prev(0)));
  EXPECT_FLOAT_EQ(table.rr_prev(1), 0.5f);
  EXPECT_TRUE(std::isnan(table.rhythm_score[0]));  // no such column
  EXPECT_TRUE(table.waves.empty());
  EXPECT_FLOAT_EQ(read_beat_table(path, false, {}).rr_next[0], 125);  // samples, where no rate is known
}

// Times of a long recording need more digits than float32 has.
TEST(ReportBeats, WavesAreReadToAMicrosecond) {
  TemporaryFolder folder;
  const auto path =
      folder.write("beats.csv",
                   "sample,kept,score,anomalous,p_onset_s,p_peak_s,p_end_s,qrs_onset_s,qrs_end_s,t_peak_s,t_end_s\n"
                   "100,1,0,0,,,,0.360001,0.45,0.6,0.7\n"
                   "21600000,1,0,0,86399.812345,86399.85,86399.9,86399.96,86400.05,86400.2,\n");
  const BeatTable table = read_beat_table(path, true, {});
  ASSERT_EQ(table.waves.size(), 2u);
  EXPECT_TRUE(std::isnan(table.waves[0].p_onset));
  EXPECT_EQ(table.waves[0].qrs_onset, 0.360001);
  EXPECT_EQ(table.waves[1].p_onset, 86399.812345);
  EXPECT_EQ(table.waves[1].t_peak, 86400.2);
  EXPECT_TRUE(std::isnan(table.waves[1].t_end));
}

TEST(ReportBeats, PartsReadSideBySideAreInOrder) {
  TemporaryFolder folder;
  std::string text = kHeader;
  constexpr int kBeats = 30000;  // more than one part
  for (int i = 0; i < kBeats; ++i)
    text += std::to_string(i) + "," + std::to_string(7 * i) + ",0.4,,0.5,125,1,train,1.5,-2," + std::to_string(i) +
            ".5,0,good\n";
  const BeatTable table = read_beat_table(folder.write("beats.csv", text), true, {});
  ASSERT_EQ(table.size(), kBeats);
  for (int i = 0; i < kBeats; ++i) {
    ASSERT_EQ(table.sample[i], 7 * i);
    ASSERT_EQ(table.score[i], static_cast<float>(i) + 0.5f);
  }
}

TEST(ReportBeats, ErrorsNameTheLine) {
  TemporaryFolder folder;
  const auto read = [&](const std::string& text) { read_beat_table(folder.write("beats.csv", text), true, {}); };
  expect_error(ErrorKind::input, "beats.csv:1: the header has no column 'score'",
               [&] { read("sample,kept,anomalous\n"); });
  expect_error(ErrorKind::input, "beats.csv:3: 'x'", [&] { read("sample,kept,score,anomalous\n1,1,2,0\n1,1,x,0\n"); });
  expect_error(ErrorKind::input, "beats.csv:2: not 4 cells", [&] { read("sample,kept,score,anomalous\n1,1,2\n"); });
  expect_error(ErrorKind::input, "beats.csv:2: not 4 cells", [&] { read("sample,kept,score,anomalous\n1,1,2,0,5\n"); });
  expect_error(ErrorKind::input, "none.csv", [&] { read_beat_table(folder.path() / "none.csv", true, {}); });
}

// Compares bit by bit: NaN is NaN, and -0 is not 0.
void expect_same(const std::vector<float>& a, const std::vector<float>& b, const char* name) {
  ASSERT_EQ(a.size(), b.size()) << name;
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE((std::isnan(a[i]) && std::isnan(b[i])) ||
                std::bit_cast<std::uint32_t>(a[i]) == std::bit_cast<std::uint32_t>(b[i]))
        << name << " " << i << ": " << a[i] << ", " << b[i];
}

void expect_same_times(const BeatTable& a, const BeatTable& b) {
  ASSERT_EQ(a.waves.size(), b.waves.size());
  for (std::size_t i = 0; i < a.waves.size(); ++i)
    for (const auto fiducial : {&WaveTimes::p_onset, &WaveTimes::p_peak, &WaveTimes::p_end, &WaveTimes::qrs_onset,
                                &WaveTimes::qrs_end, &WaveTimes::t_peak, &WaveTimes::t_end}) {
      const double one = a.waves[i].*fiducial, other = b.waves[i].*fiducial;
      EXPECT_TRUE(one == other || (std::isnan(one) && std::isnan(other))) << i << ": " << one << ", " << other;
    }
}

void expect_read_back(const Table& beats, bool rate_known, LatentPair latents, std::int64_t leads) {
  const BeatTable read = parse_beat_table(csv_text(beats), "beats.csv", rate_known, latents, leads),
                  held = beat_table_of(beats, rate_known, latents, leads);
  EXPECT_EQ(held.sample, read.sample);
  EXPECT_EQ(held.kept, read.kept);
  EXPECT_EQ(held.anomalous, read.anomalous);
  EXPECT_EQ(held.quality, read.quality);
  EXPECT_EQ(held.lead, read.lead);
  EXPECT_EQ(held.beat_class, read.beat_class);
  EXPECT_EQ(held.shape, read.shape);
  EXPECT_EQ(held.has_classes, read.has_classes);
  EXPECT_EQ(held.lead_count, read.lead_count);
  expect_same(held.rr_next, read.rr_next, "rr_next");
  expect_same(held.score, read.score, "score");
  expect_same(held.rhythm_score, read.rhythm_score, "rhythm_score");
  expect_same(held.baseline_score, read.baseline_score, "baseline_score");
  expect_same(held.prev_ratio, read.prev_ratio, "prev_ratio");
  expect_same(held.next_ratio, read.next_ratio, "next_ratio");
  expect_same(held.noise, read.noise, "noise");
  expect_same(held.latent_x, read.latent_x, "latent_x");
  expect_same(held.latent_y, read.latent_y, "latent_y");
  expect_same_times(held, read);
}

TEST(ReportBeats, ATableInMemoryGivesWhatItsFileGives) {
  for (const RunResult& result : {small_result(), ranked_result(), judged_result()})
    for (const bool rate_known : {true, false})
      for (const LatentPair latents : {LatentPair{0, 1}, LatentPair{1, 0}})
        for (const std::int64_t leads : {1, 2}) expect_read_back(beats_table(result), rate_known, latents, leads);
}

// Intervals of all lengths, and numbers that are hard to write and to read.
TEST(ReportBeats, NumbersInMemoryAreThoseOfTheFile) {
  std::mt19937 random(1);
  Integers samples, lengths;
  Seconds times;
  Floats scores;
  Flags flags;
  for (int i = 0; i < 50'000; ++i) {
    samples.values.push_back(i);
    lengths.values.push_back(i % 9 ? random() >> random() % 32 : kNoInteger);
    times.microseconds.push_back(i % 7 ? random() >> random() % 32 : kNoInteger);
    scores.values.push_back(i % 100 ? std::bit_cast<float>(static_cast<std::uint32_t>(random()))
                                    : std::copysign(i % 200 ? INFINITY : 0, random() % 2 - 0.5f));
    flags.values.push_back(static_cast<std::uint8_t>(random() % 3));
  }
  const Table table{50'000,
                    {{"sample", "", samples},
                     {"length_samples", "", lengths},
                     {"rr_next_s", "s", times},
                     {"p_onset_s", "s", times},
                     {"t_end_s", "s", times},
                     {"score", "", scores},
                     {"kept", "", flags},
                     {"anomalous", "", flags}}};
  for (const bool rate_known : {true, false}) expect_read_back(table, rate_known, {}, 1);
}

TEST(ReportNpy, ReadsWhatTheProgramWrites) {
  TemporaryFolder folder;
  const std::vector<float> values{1, 2, 3, 4, 5, NAN};
  const auto file = read_npy_file<float>(folder.write("a.npy", npy(values, {2, 3})), 2);
  EXPECT_EQ(file.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(file.row(1)[0], 4);
  EXPECT_TRUE(std::isnan(file.row(1)[2]));
  const std::vector<std::int64_t> none;
  EXPECT_EQ(read_npy_file<std::int64_t>(folder.write("b.npy", npy(none, {0})), 1).values.size(), 0u);
}

TEST(ReportNpy, RefusesWhatItCannotHold) {
  TemporaryFolder folder;
  const std::string good = npy(std::vector<float>{1, 2, 3}, {3});
  const auto read = [&](const std::string& bytes) { read_npy_file<float>(folder.write("a.npy", bytes), 1); };
  expect_error(ErrorKind::input, "a.npy: is cut off", [&] { read(good.substr(0, good.size() - 1)); });
  expect_error(ErrorKind::input, "a.npy: is cut off", [&] { read(good + "x"); });
  expect_error(ErrorKind::input, "a.npy: is no .npy file", [&] { read("NUMPY"); });
  expect_error(ErrorKind::input, "a.npy: does not hold '<f4'", [&] { read(npy(std::vector<double>{1}, {1})); });
  expect_error(ErrorKind::input, "a.npy: the number of dimensions is not 1", [&] {
    read(npy(std::vector<float>{1}, {1, 1}));
  });
}

// Unpacks an array as script/data.js does.
std::vector<std::int32_t> unpacked(const nlohmann::json& array) {
  const auto decoded = [](const std::string& text) {
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text) {
      const auto value = std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
      if (value == std::string::npos) break;
      bits = bits << 6 | static_cast<unsigned>(value);
      if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8));
    }
    return bytes;
  };
  std::vector<std::uint32_t> words(array["count"].get<std::size_t>());
  for (std::size_t byte = 0; byte < array["planes"].size(); ++byte) {
    const std::string packed = decoded(array["planes"][byte].get<std::string>());
    if (packed.empty()) continue;
    std::string plane(words.size(), '\0');
    uLongf size = plane.size();
    EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(plane.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                         packed.size()),
              Z_OK);
    EXPECT_EQ(size, plane.size());
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] |= static_cast<std::uint32_t>(static_cast<unsigned char>(plane[i])) << 8 * byte;
  }
  std::vector<std::int32_t> values;
  std::uint32_t last = 0;
  for (const std::uint32_t word : words) {
    if (array["type"] == "flags") {
      values.push_back(static_cast<std::int32_t>(word));
      continue;
    }
    const std::uint32_t value = word >> 1 ^ (word & 1 ? ~0u : 0u);
    last = array["type"] == "differences" ? last + value : value;
    values.push_back(static_cast<std::int32_t>(last));
  }
  return values;
}

nlohmann::json json_of(const PackedArrays& arrays) {
  std::string text;
  for (const auto& part : arrays.json_parts()) text += part;
  return nlohmann::json::parse(text);
}

TEST(ReportPack, ComesBackAsItWas) {
  constexpr auto kLeast = std::numeric_limits<std::int32_t>::min(), kMost = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> values{0, -1, 1, kLeast, kMost, kLeast, 77, 77, 77};
  for (int i = 0; i < 5000; ++i) values.push_back(i * i % 301 - 150);
  std::vector<std::uint8_t> flags(values.size());
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = i % 3 ? 255 : 7;
  PackedArrays arrays;
  arrays.integers("plain", [&] { return values; });
  arrays.differences("running", [&] { return values; });
  arrays.flags("flags", [&] { return flags; });
  arrays.integers("zeros", [] { return std::vector<std::int32_t>(1000); });
  arrays.integers("none", [] { return std::vector<std::int32_t>(); });
  const auto json = json_of(arrays);
  EXPECT_EQ(unpacked(json["plain"]), values);
  EXPECT_EQ(unpacked(json["running"]), values);
  EXPECT_EQ(unpacked(json["flags"]), std::vector<std::int32_t>(flags.begin(), flags.end()));
  EXPECT_EQ(unpacked(json["zeros"]), std::vector<std::int32_t>(1000));
  EXPECT_EQ(json["zeros"]["planes"], nlohmann::json({"", "", "", ""}));
  EXPECT_EQ(unpacked(json["none"]).size(), 0u);
}

// Planes are deflated in parts of 16,384 bytes, and their text is made in parts of 24,576.
TEST(ReportPack, PlanesOfAllSizesComeBack) {
  std::mt19937 random(1);
  std::map<std::string, std::vector<std::int32_t>> all;
  for (const int size : {1, 2, 16'383, 16'384, 16'385, 24'576, 32'768, 100'000})
    for (const int most : {2, 255, 1 << 30}) {  // values up to this; those of 255 hardly become shorter
      auto& values = all[std::to_string(size) + " up to " + std::to_string(most)];
      for (int i = 0; i < size; ++i) values.push_back(static_cast<std::int32_t>(random() % (most + 1u)));
    }
  PackedArrays arrays;
  for (const auto& [name, values] : all) {
    arrays.integers("plain " + name, [&] { return values; });
    arrays.differences("running " + name, [&] { return values; });
    if (name.ends_with("255"))
      arrays.flags("flags " + name, [&] { return std::vector<std::uint8_t>(values.begin(), values.end()); });
  }
  const auto json = json_of(arrays);
  for (const auto& [name, values] : all) {
    EXPECT_TRUE(unpacked(json["plain " + name]) == values) << name;
    EXPECT_TRUE(unpacked(json["running " + name]) == values) << name;
    if (!name.ends_with("255")) continue;
    EXPECT_TRUE(unpacked(json["flags " + name]) == values) << name;
  }
  EXPECT_EQ(json_of(PackedArrays()), nlohmann::json::object());
}

TEST(ReportResult, FoldersThatAreNoResultAreRefused) {
  TemporaryFolder folder;
  expect_error(ErrorKind::input, "nowhere: is not a folder", [&] { read_stored_result(folder.path() / "nowhere"); });
  expect_error(ErrorKind::input, "is no result (it has no summary.json)", [&] { read_stored_result(folder.path()); });
  folder.write("cohort.csv", "");
  expect_error(ErrorKind::input, "holds the results of a batch", [&] { read_stored_result(folder.path()); });
  std::filesystem::remove(folder.path() / "cohort.csv");
  folder.write("summary.json", "{}");
  expect_error(ErrorKind::input, "has no report/", [&] { read_stored_result(folder.path()); });
  std::filesystem::create_directory(folder.path() / "report");
  expect_error(ErrorKind::input, "config.json: cannot be read", [&] { read_stored_result(folder.path()); });
  folder.write("config.json", "{\"method\": \"r_peaks\"}");
  expect_error(ErrorKind::input, "summary.json: lacks 'input'", [&] { read_stored_result(folder.path()); });
  folder.write("summary.json", "[1");
  expect_error(ErrorKind::input, "summary.json: is not a JSON object", [&] { read_stored_result(folder.path()); });
}

}  // namespace
}  // namespace beatscan
