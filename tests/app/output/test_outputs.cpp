#include "app/output/outputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/common/npy.h"
#include "app/output/model_file.h"
#include "app/output/output_folder.h"
#include "app/output/summary_json.h"
#include "kernels/machine/host_threads.h"
#include "tests/support/delineated_result.h"
#include "tests/support/read_npy.h"
#include "tests/support/small_result.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

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
  EXPECT_EQ(input["missing"]["policy"], "bridged by straight lines; beats that touch a gap are dropped");
  EXPECT_EQ(
      summary_json(ranked_result(), config, nullptr)["input"]["missing"]["policy"],
      "bridged by straight lines; a beat is dropped if in every lead that counts it touches a gap that is longer than "
      "quality.bridge_s");
  EXPECT_EQ(summary["sample_rate"], (Json{{"hz", 100.0}}));
  EXPECT_EQ(summary["run"]["sample_rate_source"], "command line");
  EXPECT_EQ(summary["beats"], (Json{{"found", 5},
                                    {"kept", 2},
                                    {"dropped", {{"too_short", 0}, {"too_long", 1}, {"in_gap", 1}, {"last", 1}}},
                                    {"median_a_minute", 100.0}}));
  EXPECT_EQ(summary["model"]["parameters"], 7);
  EXPECT_EQ(summary["model"]["train_beats"], 1);
  EXPECT_EQ(summary["model"]["test_beats"], 1);
  EXPECT_EQ(summary["model"]["loss_per_epoch"], (Json{3, 2.5}));
  EXPECT_EQ(summary["model"]["test_loss"], 2.25);
  EXPECT_EQ(summary["model"]["diagnosis"]["active_latents"], 1);
  EXPECT_EQ(summary["anomaly"]["threshold"], 5);
  EXPECT_EQ(summary["anomaly"]["count"], 1);
  EXPECT_EQ(summary["anomaly"]["share"], 0.5);
  EXPECT_EQ(summary["seed"], 7);
  EXPECT_TRUE(summary["versions"]["beatscan"].is_string());
  EXPECT_EQ(summary["run"]["wall_s"], 0.75);
  EXPECT_EQ(summary["run"]["stages"][0]["name"], "ingest");
  EXPECT_EQ(summary["run"]["stages"][0]["gigabytes_per_s"], 2);
  EXPECT_EQ(summary["run"]["device"]["kind"], "cpu");
  EXPECT_EQ(summary["run"]["command"], "beatscan run folder/x.csv --out 'a folder'");
  EXPECT_EQ(summary["run"]["host"]["processor"], describe(Cpu()).name);
  EXPECT_EQ(summary["report"]["strip_samples"], 8);
  EXPECT_FALSE(summary["run"].contains("pool"));
  EXPECT_FALSE(summary.contains("evaluation"));
}

TEST(SummaryJson, SaysHowMuchCanBeTrustedAroundRPeaks) {
  EXPECT_TRUE(summary_json(small_result(), {}, nullptr)["quality"].is_null());
  EXPECT_FALSE(summary_json(small_result(), {}, nullptr)["anomaly"].contains("baseline"));
  const Json summary = summary_json(ranked_result(), {}, nullptr);
  EXPECT_EQ(summary["quality"]["block_s"], 1);
  EXPECT_EQ(summary["quality"]["flat_share"], 0.25);
  EXPECT_EQ(summary["quality"]["clipped_share"], 0);
  EXPECT_EQ(summary["quality"]["noisy_share"], 0.25);
  EXPECT_EQ(summary["quality"]["analysable_share"], 0.5);
  EXPECT_EQ(summary["quality"]["beats_in_poor_signal"], 2);
  EXPECT_EQ(summary["anomaly"]["threshold"], 5);
  EXPECT_EQ(summary["anomaly"]["count"], 1);
  EXPECT_EQ(summary["anomaly"]["count_in_poor_signal"], 1);
  EXPECT_EQ(summary["anomaly"]["count_in_good_signal"], 0);
  EXPECT_EQ(summary["anomaly"]["share_in_good_signal"], 0);
  EXPECT_EQ(summary["quality"]["poor_share"], 0.5);
  EXPECT_EQ(summary["quality"]["worst_trusted"], "good");
  EXPECT_EQ(summary["quality"]["qrs_band_share"], 1);
  EXPECT_EQ(summary["anomaly"]["baseline"]["threshold"], 4);
  EXPECT_EQ(summary["anomaly"]["baseline"]["count"], 2);
}

TEST(SummaryJson, HasPoolAndEvaluationWhereThereAreSome) {
  RunResult result = small_result();
  result.run.pool = PoolStatistics{.peak_bytes = 99};
  const Json summary = summary_json(result, {}, Json{{"detection", 1}});
  EXPECT_EQ(summary["run"]["pool"]["peak_bytes"], 99);
  EXPECT_EQ(summary["evaluation"]["detection"], 1);
}

TEST(SummaryJson, WhatDoesNotExistIsNull) {
  RunResult result = small_result();
  result.input.sample_rate_hz.reset();
  result.model.training.test_loss = NAN;
  const Json summary = Json::parse(text_of(summary_json(result, {}, nullptr)));
  EXPECT_TRUE(summary["sample_rate"]["hz"].is_null());
  EXPECT_TRUE(summary["input"]["duration_s"].is_null());
  EXPECT_TRUE(summary["model"]["test_loss"].is_null());
}

TEST(SummaryJson, WarnsOfACollapsedModel) {
  RunResult result = small_result();
  EXPECT_TRUE(summary_json(result, {}, nullptr)["advisories"].empty());
  result.model.diagnosis.collapsed = true;
  EXPECT_EQ(summary_json(result, {}, nullptr)["advisories"].size(), 1u);
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
  const auto [header, data] = parse_safetensors(model_safetensors({{}, result.model.parameters}));
  EXPECT_EQ(data.size(), 7 * sizeof(float));
  std::size_t end = 0;
  for (const auto& array : result.model.parameters) {
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
  const auto [header, data] = parse_safetensors(model_safetensors({config, small_result().model.parameters}));
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
  for (const char* name :
       {"beats.csv", "abnormal.csv", "summary.json", "config.json", "generated.csv", "model.safetensors", "x_mqc.json"})
    EXPECT_TRUE(std::filesystem::is_regular_file(folder.path() / "o" / name)) << name;
  EXPECT_EQ(Json::parse(contents_of(folder.path() / "o/config.json")), to_json(Config{}));
  const auto arrays = folder.path() / "o/arrays";
  EXPECT_EQ(read_npy<float>(arrays / "signal.npy").values, result.arrays->signal);
  EXPECT_EQ(read_npy<double>(arrays / "response.npy").values, std::vector<double>(400, 2));
  EXPECT_EQ(read_npy<std::int64_t>(arrays / "starts.npy").values, (std::vector<std::int64_t>{10, 60, 200, 260, 300}));
  EXPECT_EQ(read_npy<std::int64_t>(arrays / "lengths.npy").values, (std::vector<std::int64_t>{50, 140, 60, 40}));
  EXPECT_EQ(read_npy<float>(arrays / "embeddings.npy").shape, (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(read_npy<float>(arrays / "latents.npy").values, result.scored.rows.latents);
  EXPECT_EQ(read_npy<float>(folder.path() / "o/report/rows.npy").shape, (std::vector<std::int64_t>{1, 4}));
}

TEST(WriteResult, WritesTheQualityWhereThereIsOne) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const RunResult& result) {
    OutputFolder output(folder.path() / name, false);
    write_result(output, result, {}, nullptr);
    output.commit();
    return folder.path() / name / "quality.csv";
  };
  EXPECT_FALSE(std::filesystem::exists(write("published", small_result())));
  EXPECT_EQ(contents_of(write("ranked", ranked_result())),
            "from_s,to_s,quality,lead,time_of_day\n0.000000,1.000000,flat,0,\n3.000000,4.000000,noisy,0,\n");
}

TEST(WriteResult, WritesTheWavesWhereTheyAreAskedFor) {
  const TemporaryFolder folder;
  const auto has_waves = [&](const char* name, const RunResult& result, const Config& config) {
    OutputFolder output(folder.path() / name, false);
    write_result(output, result, config, nullptr);
    output.commit();
    const bool table = std::filesystem::exists(folder.path() / name / "waves.csv");
    EXPECT_EQ(table, std::filesystem::exists(folder.path() / name / "x.waves"));
    return table;
  };
  Config config;
  EXPECT_FALSE(has_waves("usual", delineated_result(), config));
  config.output.waves = true;
  EXPECT_TRUE(has_waves("waves", delineated_result(), config));
  EXPECT_FALSE(has_waves("published", small_result(), config)) << "the published method has no waves";
}

std::map<std::string, std::string> files_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files[entry.path().lexically_relative(folder)] = contents_of(entry.path());
  return files;
}

TEST(WriteResult, WritesTheSameFilesOnAnyNumberOfThreads) {
  const TemporaryFolder folder;
  RunResult result = ranked_result();
  result.arrays = SavedArrays{std::vector<float>(400, 1), {}, std::vector<float>(8, 3)};
  const auto written = [&](int threads) {
    const Share number = threads;
    const ShareOfThisThread share(&number);
    OutputFolder output(folder.path() / std::to_string(threads), false);
    write_result(output, result, {}, nullptr);
    output.commit();
    return files_in(folder.path() / std::to_string(threads));
  };
  const auto one = written(1);
  EXPECT_GE(one.size(), 10u);
  for (const int threads : {2, 7, 100}) EXPECT_EQ(written(threads), one) << threads;
}

// A page that runs out of memory, or fails otherwise, while other files are being written.
TEST(WriteResult, AFailureOfThePageIsKnownAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const std::function<void(const Table&)>& page) {
    OutputFolder output(folder.path() / name, false);
    write_result(output, ranked_result(), {}, nullptr, TableForm::csv, page);
    output.commit();
    return files_in(folder.path() / name);
  };
  const auto usual = write("usual", [](const Table& beats) { EXPECT_EQ(beats.rows, 5); });
  EXPECT_EQ(write("no memory", [](const Table&) { throw std::bad_alloc(); }), usual);
  EXPECT_THROW(write("damaged", [](const Table&) { throw std::runtime_error("x"); }), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "damaged"));
  EXPECT_EQ(write("again", {}), usual);
}

TEST(WriteResult, NamesMayHoldAnyBytes) {
  const TemporaryFolder folder;
  RunResult result = small_result();
  result.input.signal.name = "Spannung [\xb5V]";  // Latin-1
  OutputFolder output(folder.path() / "o", false);
  write_result(output, result, {}, nullptr);
  output.commit();
  EXPECT_TRUE(Json::accept(contents_of(folder.path() / "o/summary.json")));
}

TEST(SummaryJson, HasTheStartOfTheRecording) {
  RunResult result = small_result();
  EXPECT_TRUE(summary_json(result, {}, nullptr)["input"]["start"].is_null());
  result.input.signal.start = start_time({.hour = 10, .minute = 1, .second = 2.5});
  Json expected = {{"time_of_day", "10:01:02.500"}, {"second_of_day", 36062.5}, {"date", nullptr}, {"zone", nullptr}};
  EXPECT_EQ(summary_json(result, {}, nullptr)["input"]["start"], expected);
  result.input.signal.start = start_time(20'778 * 86400.0 + 36062.5, 3600);
  expected = {{"time_of_day", "11:01:02.500"}, {"second_of_day", 39662.5}, {"date", "2026-11-21"}, {"zone", "+01:00"}};
  EXPECT_EQ(summary_json(result, {}, nullptr)["input"]["start"], expected);
}

}  // namespace
}  // namespace beatscan
