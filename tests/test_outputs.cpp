#include "app/outputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "app/csv_files.h"
#include "app/npy.h"
#include "tests/read_npy.h"
#include "tests/temporary_folder.h"

namespace beatscan {
namespace {

// Five candidates at 100 Hz, the first and the third kept.
RunResult small_result() {
  RunResult result{.input = "folder/x.csv",
                   .input_bytes = 1234,
                   .input_sha256 = "abc",
                   .column = "mV",
                   .sample_rate_hz = 100,
                   .sample_rate_source = "command line",
                   .samples = 400,
                   .missing = 3,
                   .gaps = 2,
                   .range = {-0.5f, 1.25f}};
  result.beats.r_peaks = {15, 65, 205, 265, 305};
  result.samples_to_peak = 5;
  result.beats.fates = {Fate::kept, Fate::too_long, Fate::kept, Fate::in_gap, Fate::last};
  result.beats.broken = {0, 0, 0, 1};
  result.kept = {0, 2};
  result.row_points = 4;
  result.parameters = {{"conv0.weight", {2, 1, 3}, {1, 2, 3, 4, 5, 6}}, {"sigma.alpha", {1}, {0.5f}}};
  result.training = {.loss_per_epoch = {3, 2.5},
                     .test_loss = 2.25,
                     .split = {Split::train, Split::test},
                     .mean_beat_error = 0.2,
                     .generated = {1, 2, 3, 4, -1, 0.1f, 0, 1e-9f}};
  result.row_scores = {.reconstruction_error = {0.5f, 0.1f}, .kl = {0.25f, 3}, .latents = {1, -1, 2, 0.5f}};
  result.scores = {.score = {-0.25f, 7.5f}, .anomalous = {0, 1}, .threshold = 5, .anomalous_count = 1};
  result.diagnosis = {.active_latents = 1, .latent_variance = {1, 0}, .test_error = 0.1, .mean_beat_error = 0.2};
  result.device_kind = "cpu";
  result.device = {.name = "a processor", .memory_bytes = 8};
  result.stages = {{"ingest", 0.1, 0.5, 1'000'000'000}};
  result.wall_s = 0.75;
  return result;
}

const std::string kHeader =
    "beat,sample,time_s,rr_prev_s,rr_next_s,length_samples,kept,split,reconstruction_error,kl,latent_0,latent_1,score,"
    "anomalous\n";

TEST(BeatsCsv, IsAsTheContractSays) {
  EXPECT_EQ(beats_csv(small_result()), kHeader +
                                           "0,15,0.150000,,0.500000,50,1,train,0.5,0.25,1,-1,-0.25,0\n"
                                           "1,65,0.650000,0.500000,1.400000,140,0,,,,,,,\n"
                                           "2,205,2.050000,1.400000,0.600000,60,1,test,0.1,3,2,0.5,7.5,1\n"
                                           "3,265,2.650000,0.600000,,40,0,,,,,,,\n"  // a gap follows
                                           "4,305,3.050000,,,,0,,,,,,,\n");
}

TEST(BeatsCsv, WithoutARateThereAreNoTimes) {
  RunResult result = small_result();
  result.sample_rate_hz.reset();
  const std::string text = beats_csv(result);
  EXPECT_EQ(text.substr(kHeader.size(), text.find('\n', kHeader.size()) - kHeader.size()),
            "0,15,,,,50,1,train,0.5,0.25,1,-1,-0.25,0");
}

TEST(BeatsCsv, HasOneColumnPerLatent) {
  RunResult result = small_result();
  result.row_scores.latents = {1, 2, 3, 4, 5, 6};
  const std::string text = beats_csv(result);
  EXPECT_NE(text.find(",kl,latent_0,latent_1,latent_2,score,"), text.npos);
  EXPECT_NE(text.find(",0.25,1,2,3,-0.25,0\n"), text.npos);
  EXPECT_NE(text.find(",140,0,,,,,,,,\n"), text.npos);
}

TEST(BeatsCsv, NumbersReadBackTheSame) {
  RunResult result = small_result();
  constexpr int kBeats = 500;
  result.beats = {};
  for (int i = 0; i <= kBeats; ++i) result.beats.r_peaks.push_back(100 * i);
  result.beats.broken.assign(kBeats, 0);
  result.beats.fates.assign(kBeats, Fate::kept);
  result.beats.fates.push_back(Fate::last);
  result.kept.resize(kBeats);
  std::iota(result.kept.begin(), result.kept.end(), 0);
  std::mt19937 random(1);
  std::vector<float> values(kBeats);
  for (float& value : values) value = std::exp(std::uniform_real_distribution<float>(-60, 60)(random));
  result.training.split.assign(kBeats, Split::train);
  result.scores.anomalous.assign(kBeats, 0);
  result.row_scores = {values, values, values};
  result.scores.score = values;
  std::istringstream lines(beats_csv(result));
  std::string line;
  std::getline(lines, line);
  for (const float value : values) {
    std::getline(lines, line);
    std::istringstream row(line.substr(line.find(",train,") + 7));
    for (std::string cell; std::getline(row, cell, ',') && row.peek() != EOF;)
      ASSERT_EQ(std::strtof(cell.c_str(), nullptr), value) << line;
  }
}

// Threads write parts of 4,096 candidates: every kept one must get its own row.
TEST(BeatsCsv, RowsOfEveryPart) {
  for (const int beats : {4095, 4096, 4097, 9000}) {
    RunResult result;
    std::vector<std::string> errors;
    for (int beat = 0; beat < beats; ++beat) {
      result.beats.r_peaks.push_back(100 * beat);
      const bool kept = beat % 7 != 3 && beat % 1000 != 0;
      result.beats.fates.push_back(kept ? Fate::kept : Fate::too_long);
      errors.emplace_back();
      if (!kept) continue;
      const auto row = static_cast<float>(result.kept.size());
      errors.back() = std::to_string(result.kept.size());
      result.kept.push_back(beat);
      result.row_scores.reconstruction_error.push_back(row);
      result.row_scores.kl.push_back(0);
      result.scores.score.push_back(0);
    }
    result.training.split.assign(result.kept.size(), Split::train);
    result.scores.anomalous.assign(result.kept.size(), 0);
    result.beats.broken.assign(beats - 1, 0);
    std::istringstream lines(beats_csv(result));
    std::string line;
    std::getline(lines, line);
    for (int beat = 0; beat < beats; ++beat) {
      std::getline(lines, line);
      const std::string expected = errors[beat].empty() ? ",0,,,,," : ",1,train," + errors[beat] + ",0,0,0";
      ASSERT_TRUE(line.starts_with(std::to_string(beat) + "," + std::to_string(100 * beat)) && line.ends_with(expected))
          << line << ", expected " << expected;
    }
    EXPECT_FALSE(std::getline(lines, line));
  }
}

TEST(GeneratedCsv, IsOneRowABeat) {
  EXPECT_EQ(generated_csv(small_result()), "p0,p1,p2,p3\n1,2,3,4\n-1,0.1,0,1e-09\n");
  RunResult none = small_result();
  none.training.generated.clear();
  EXPECT_EQ(generated_csv(none), "p0,p1,p2,p3\n");
}

TEST(SummaryJson, SaysWhatWasFound) {
  Config config;
  config.seed = 7;
  const Json summary = summary_json(small_result(), config, nullptr);
  EXPECT_EQ(summary["schema_version"], 1);
  const Json& input = summary["input"];
  EXPECT_EQ(input["path"], "folder/x.csv");
  EXPECT_EQ(input["bytes"], 1234);
  EXPECT_EQ(input["sha256"], "abc");
  EXPECT_EQ(input["samples"], 400);
  EXPECT_EQ(input["duration_s"], 4);
  EXPECT_EQ(input["missing"]["samples"], 3);
  EXPECT_EQ(input["missing"]["gaps"], 2);
  EXPECT_EQ(summary["sample_rate"], (Json{{"hz", 100.0}}));
  EXPECT_EQ(summary["run"]["sample_rate_source"], "command line");
  EXPECT_EQ(
      summary["beats"],
      (Json{{"found", 5}, {"kept", 2}, {"dropped", {{"too_short", 0}, {"too_long", 1}, {"in_gap", 1}, {"last", 1}}}}));
  EXPECT_EQ(summary["model"]["parameters"], 7);
  EXPECT_EQ(summary["model"]["train_beats"], 1);
  EXPECT_EQ(summary["model"]["test_beats"], 1);
  EXPECT_EQ(summary["model"]["loss_per_epoch"], (Json{3, 2.5}));
  EXPECT_EQ(summary["model"]["test_loss"], 2.25);
  EXPECT_EQ(summary["model"]["diagnosis"]["active_latents"], 1);
  EXPECT_EQ(summary["anomaly"]["threshold"], 5);
  EXPECT_EQ(summary["anomaly"]["count"], 1);
  EXPECT_EQ(summary["seed"], 7);
  EXPECT_TRUE(summary["versions"]["beatscan"].is_string());
  EXPECT_EQ(summary["run"]["wall_s"], 0.75);
  EXPECT_EQ(summary["run"]["stages"][0]["name"], "ingest");
  EXPECT_EQ(summary["run"]["stages"][0]["gigabytes_per_s"], 2);
  EXPECT_EQ(summary["run"]["device"]["kind"], "cpu");
  EXPECT_FALSE(summary["run"].contains("pool"));
  EXPECT_FALSE(summary.contains("evaluation"));
}

TEST(SummaryJson, HasPoolAndEvaluationWhereThereAreSome) {
  RunResult result = small_result();
  result.pool = PoolStatistics{.peak_bytes = 99};
  const Json summary = summary_json(result, {}, Json{{"detection", 1}});
  EXPECT_EQ(summary["run"]["pool"]["peak_bytes"], 99);
  EXPECT_EQ(summary["evaluation"]["detection"], 1);
}

TEST(SummaryJson, WhatDoesNotExistIsNull) {
  RunResult result = small_result();
  result.sample_rate_hz.reset();
  result.training.test_loss = NAN;
  const Json summary = Json::parse(text_of(summary_json(result, {}, nullptr)));
  EXPECT_TRUE(summary["sample_rate"]["hz"].is_null());
  EXPECT_TRUE(summary["input"]["duration_s"].is_null());
  EXPECT_TRUE(summary["model"]["test_loss"].is_null());
}

TEST(SummaryJson, WarnsOfACollapsedModel) {
  RunResult result = small_result();
  EXPECT_TRUE(summary_json(result, {}, nullptr)["model"]["warnings"].empty());
  result.diagnosis.collapsed = true;
  EXPECT_EQ(summary_json(result, {}, nullptr)["model"]["warnings"].size(), 1u);
}

struct Safetensors {
  Json header;
  std::string data;
};
Safetensors parse_safetensors(const std::string& file) {
  std::uint64_t size = 0;
  std::memcpy(&size, file.data(), sizeof size);
  EXPECT_EQ((8 + size) % 8, 0u) << "the data are aligned";
  return {Json::parse(file.substr(8, size)), file.substr(8 + size)};
}

TEST(ModelSafetensors, HoldsTheParametersInTheirPlaces) {
  const RunResult result = small_result();
  const auto [header, data] = parse_safetensors(model_safetensors(result, {}));
  EXPECT_EQ(data.size(), 7 * sizeof(float));
  std::size_t end = 0;
  for (const auto& array : result.parameters) {
    const Json& entry = header[array.name];
    EXPECT_EQ(entry["dtype"], "F32");
    EXPECT_EQ(entry["shape"], Json(array.shape));
    ASSERT_EQ(entry["data_offsets"][0], end) << "no holes";
    std::vector<float> values(array.values.size());
    std::memcpy(values.data(), data.data() + end, values.size() * sizeof(float));
    EXPECT_EQ(values, array.values);
    end += values.size() * sizeof(float);
    EXPECT_EQ(entry["data_offsets"][1], end);
  }
}

TEST(ModelSafetensors, ItsMetadataHoldTheConfiguration) {
  Config config;
  config.vae.epochs = 3;
  const auto [header, data] = parse_safetensors(model_safetensors(small_result(), config));
  for (const auto& [key, value] : header["__metadata__"].items()) EXPECT_TRUE(value.is_string()) << key;
  EXPECT_EQ(Json::parse(header["__metadata__"]["config"].get<std::string>()), to_json(config));
}

TEST(Npy, ReadsBack) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1, -2.5f, 1e-30f, 4, 5, 6};
  const std::string file = npy(values, {2, 3});
  EXPECT_EQ(file.find('\n') % 64, 63u) << "the data are aligned";
  const auto array = read_npy<float>(folder.write("x.npy", file));
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(array.values, values);
  const auto whole = read_npy<std::int64_t>(folder.write("y.npy", npy(std::vector<std::int64_t>{7, 1ll << 40}, {2})));
  EXPECT_EQ(whole.values, (std::vector<std::int64_t>{7, 1ll << 40}));
  EXPECT_TRUE(read_npy<double>(folder.write("z.npy", npy(std::vector<double>{}, {0}))).values.empty());
}

TEST(WriteResult, WritesAllFiles) {
  const TemporaryFolder folder;
  RunResult result = small_result();
  result.arrays = SavedArrays{std::vector<float>(400, 1), std::vector<double>(400, 2), std::vector<float>(8, 3)};
  OutputFolder output(folder.path() / "o", false);
  write_result(output, result, {}, nullptr);
  output.commit();
  for (const char* name : {"beats.csv", "summary.json", "config.json", "generated.csv", "model.safetensors"})
    EXPECT_TRUE(std::filesystem::is_regular_file(folder.path() / "o" / name)) << name;
  EXPECT_EQ(Json::parse(contents_of(folder.path() / "o/config.json")), to_json(Config{}));
  const auto arrays = folder.path() / "o/arrays";
  EXPECT_EQ(read_npy<float>(arrays / "signal.npy").values, result.arrays->signal);
  EXPECT_EQ(read_npy<double>(arrays / "response.npy").values, std::vector<double>(400, 2));
  EXPECT_EQ(read_npy<std::int64_t>(arrays / "starts.npy").values, (std::vector<std::int64_t>{10, 60, 200, 260, 300}));
  EXPECT_EQ(read_npy<std::int64_t>(arrays / "lengths.npy").values, (std::vector<std::int64_t>{50, 140, 60, 40}));
  EXPECT_EQ(read_npy<float>(arrays / "embeddings.npy").shape, (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(read_npy<float>(arrays / "latents.npy").values, result.row_scores.latents);
}

TEST(WriteResult, NamesMayHoldAnyBytes) {
  const TemporaryFolder folder;
  RunResult result = small_result();
  result.column = "Spannung [\xb5V]";  // Latin-1
  OutputFolder output(folder.path() / "o", false);
  write_result(output, result, {}, nullptr);
  output.commit();
  EXPECT_TRUE(Json::accept(contents_of(folder.path() / "o/summary.json")));
}

}  // namespace
}  // namespace beatscan
