// Calls the operators and compares them with the underlying stages.
// tests/python/test_ops.py compares them, from Python, with the program.
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "app/output/model_file.h"
#include "app/python/arrays.h"
#include "stages/methods/as_published.h"
#include "tests/app/python/operators_test.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

TYPED_TEST_SUITE(Operators, Backends, BackendNames);

TYPED_TEST(Operators, RickerResponseIsTheStages) {
  auto& context = this->context();
  const at::Tensor x = this->x();
  const auto signal = operators::span_of<float>(array_from(x), "x");
  FilterOptions options;
  const auto expected = to_host(context, ricker_response<float>(context, signal, options, kRate));
  EXPECT_EQ(bits_of_tensor(call("ricker_response", {{"x", x}, {"rate_hz", kRate}})[0]), bits_of(expected));

  options = {.width = samples(30), .centred = false, .precision = Precision::float64};
  const auto published = to_host(context, ricker_response<double>(context, signal, options, {}));
  EXPECT_EQ(values_of<double>(call("ricker_response", {{"x", x}, {"config", "seed"}})[0]), published);
  EXPECT_EQ(
      values_of<double>(call(
          "ricker_response",
          {{"x", x}, {"filter_width_samples", 30.0}, {"filter_centred", false}, {"filter_precision", "float64"}})[0]),
      published);
}

TYPED_TEST(Operators, FindBeatsIsTheStages) {
  const at::Tensor x = this->x();
  const auto recording = this->recording(x);
  const auto found = this->found(recording, this->config());
  const auto results = call("find_beats", {{"x", x}, {"rate_hz", kRate}});
  EXPECT_EQ(values_of<double>(results[0]), found.list.r_peaks);
  EXPECT_GT(found.list.r_peaks.size(), 100u);
  for (const auto& result : results) EXPECT_EQ(result.toTensor().device(), x.device());
  EXPECT_EQ(results[1].toTensor().size(0), std::ssize(found.list.r_peaks));
  EXPECT_EQ(results[2].toTensor().sizes().vec(), (std::vector<std::int64_t>{std::ssize(found.leads.at(0).blocks)}));

  const auto fewer = call("find_beats", {{"x", x}, {"rate_hz", kRate}, {"detect_distance_s", 1.0}});
  EXPECT_LT(fewer[0].toTensor().size(0), results[0].toTensor().size(0)) << "a keyword is an option";
  const auto published = call("find_beats", {{"x", x}, {"config", "seed"}});
  Config seed = load_config("seed", {});
  EXPECT_EQ(values_of<double>(published[0]), this->found(recording, seed).list.r_peaks);
}

TYPED_TEST(Operators, EmbedBeatsIsTheStages) {
  auto& context = this->context();
  const at::Tensor x = this->x();
  const auto recording = this->recording(x);
  const auto found = this->found(recording, this->config());
  const auto expected = operators::embed(context, recording, found, this->config());
  const auto beats = call("find_beats", {{"x", x}, {"rate_hz", kRate}});
  const auto results = call("embed_beats", {{"x", x}, {"r_peaks", beats[0]}, {"rate_hz", kRate}, {"blocks", beats[2]}});
  EXPECT_EQ(results[0].toTensor().sizes().vec(), (std::vector<std::int64_t>{expected.rows.count, 256}));
  EXPECT_EQ(bits_of_tensor(results[0]), bits_of(to_host(context, expected.rows.values)));
  EXPECT_EQ(values_of<std::int64_t>(results[1]), to_host(context, expected.rows.kept));
  const auto reference = values_of<float>(results[2]);
  const auto& own = expected.leads.at(0).beats.reference;
  EXPECT_FLOAT_EQ(reference[100], static_cast<float>(own.amplitude * own.median[100]));
  EXPECT_FLOAT_EQ(reference[256], static_cast<float>(own.amplitude * own.spread));
}

TYPED_TEST(Operators, ScoreIsTheStagesByFileAndByParameters) {
  auto& context = this->context();
  std::vector<float> samples = synthetic_ecg();
  const auto r_peaks = this->found(this->recording(this->tensor(samples)), this->config()).list.r_peaks;
  std::fill_n(samples.begin() + static_cast<int>(r_peaks[10]) + 40, 10, kNone);  // too long to be bridged: no row
  const at::Tensor x = this->tensor(samples);
  const auto recording = this->recording(x);
  const Config config = this->config();
  const auto embedded = operators::embed(context, recording, this->found(recording, config), config);
  VaeOptions options = config.vae;
  options.epochs = 1;
  const auto model = train_vae(context, embedded.rows, options, {.seed = 5, .parameters = {}}).model;
  const auto expected = expected_ranking(context, recording, config, model);

  const TemporaryFolder folder;
  const auto path = folder.write("model.safetensors", model_safetensors({Config{}, model.parameters()}));
  Columns parameters;
  for (const auto& [name, shape, values] : model.parameters())
    parameters.insert(name, at::tensor(values, at::kFloat).view(shape));
  for (const c10::Stack& results :
       {call("score", {{"x", x}, {"rate_hz", kRate}, {"model", path.string()}}),
        call("score", {{"x", x}, {"rate_hz", kRate}, {"parameters", parameters}}, "parameters")}) {
    const Columns columns = columns_in(results);
    const auto kept = values_of<bool>(columns.at("kept"));
    EXPECT_EQ(std::ranges::count(kept, false), 1);
    auto all = values_of<float>(columns.at("score"));
    EXPECT_FALSE(kept[10]);
    EXPECT_TRUE(std::isnan(all[10]));
    all.erase(all.begin() + 10);
    EXPECT_EQ(bits_of(all), bits_of(expected.scores.score));
    EXPECT_EQ(columns.at("score").device(), x.device());
    EXPECT_EQ(columns.at("latents").sizes().vec(), (std::vector<std::int64_t>{std::ssize(kept), 2}));
  }
}

// The signal is read in place. Only a signal with missing samples is copied, since they are bridged.
TYPED_TEST(Operators, NothingIsCopied) {
  const at::Tensor x = this->x();
  EXPECT_EQ(this->recording(x).leads.front().samples.data(), x.const_data_ptr<float>());
  const at::Tensor with_gap = x.clone();
  with_gap[100].fill_(kNone);
  EXPECT_NE(this->recording(with_gap).leads.front().samples.data(), with_gap.const_data_ptr<float>());
  EXPECT_TRUE(std::isnan(with_gap[100].template item<float>())) << "the caller's tensor is as it was";

  if constexpr (std::is_same_v<TypeParam, Cpu>) {
    auto buffer = from_host(this->context(), std::vector<float>{1, 2, 3, 4, 5, 6});
    const float* memory = buffer.data();
    const auto array = operators::array_of(this->context(), std::move(buffer), {2, 3});
    EXPECT_EQ(array.memory.get(), memory);
    EXPECT_EQ(array.sizes, (std::vector<std::int64_t>{2, 3}));
  }
}

TYPED_TEST(Operators, WhatIsNoSignalIsRefused) {
  const at::Tensor x = this->x();
  const auto refused = [&](const at::Tensor& signal) {
    return refusal("find_beats", {{"x", signal}, {"rate_hz", kRate}});
  };
  EXPECT_NE(refused(x.to(at::kDouble)).find("x: has values of another type; give float32"), std::string::npos);
  EXPECT_NE(refused(x.view({1, 2, -1})).find("x: has 3 dimensions; give samples [N], or leads by row [L, N]"),
            std::string::npos);
  EXPECT_NE(refused(x.slice(0, 0, 1)).find("x: too short"), std::string::npos);
  EXPECT_NE(refused(at::zeros_like(x)).find("x: flat"), std::string::npos);
  EXPECT_NE(refused(at::full_like(x, kNone)).find("x: no sample has a value"), std::string::npos);
  at::Tensor infinite = x.clone();
  infinite[7].fill_(std::numeric_limits<float>::infinity());
  EXPECT_NE(refused(infinite).find("x: holds infinite values"), std::string::npos);
  EXPECT_NE(refusal("find_beats", {{"x", x}}).find("rate_hz"), std::string::npos);
  expect_error(ErrorKind::usage, "rate_hz", [&] { call("find_beats", {{"x", x}}); });
  expect_error(ErrorKind::usage, "there is no option 'detect_kep'", [&] {
    call("find_beats", {{"x", x}, {"rate_hz", kRate}, {"detect_kep", 1.0}});
  });
  EXPECT_NE(refusal("find_beats", {{"x", x}, {"rate_hz", kRate}, {"detect_keep", 99.0}}).find("detect.keep: 99"),
            std::string::npos);
}

// A row of only infinite values is constant, like a flat one.
TYPED_TEST(Operators, ARowWithInfiniteValuesIsRefused) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const at::Tensor x = this->x(), infinite = at::full_like(x, kInfinity);
  const auto refused = [&](const at::Tensor& tensor, const char* what) {
    expect_error(ErrorKind::unanalysable, what, [&] { this->recording(tensor); });
  };
  refused(infinite, "x: holds infinite values");
  refused(at::stack({x, infinite}), "x: row 1 holds infinite values");
  refused(at::stack({infinite, infinite}), "x: row 0 holds infinite values");
  at::Tensor in_part = x.clone(), with_gaps = infinite.clone();
  in_part[9].fill_(-kInfinity);
  with_gaps[0].fill_(kNone);
  refused(at::stack({x, at::zeros_like(x), in_part}), "x: row 2 holds infinite values");
  refused(at::stack({x, with_gaps}), "x: row 1 holds infinite values");
}

TYPED_TEST(Operators, RPeaksThatAreNoneAreRefused) {
  const at::Tensor x = this->x();
  const auto refused = [&](std::vector<double> r_peaks) {
    const auto on_device = at::tensor(r_peaks, at::kDouble).to(x.device());
    return refusal("embed_beats", {{"x", x}, {"r_peaks", on_device}, {"rate_hz", kRate}});
  };
  for (const auto& r_peaks : std::vector<std::vector<double>>{
           {-1, 100}, {100, 100}, {100, 99}, {100, 1e9}, {100, std::numeric_limits<double>::quiet_NaN()}})
    EXPECT_NE(refused(r_peaks).find("r_peaks: "), std::string::npos) << r_peaks[1];
  EXPECT_NE(refused({}).find("no beats"), std::string::npos);
}

TYPED_TEST(Operators, SeveralThreadsAtATime) {
  const at::Tensor x = this->x();
  const auto expected = values_of<double>(call("find_beats", {{"x", x}, {"rate_hz", kRate}})[0]);
  std::vector<std::vector<double>> found(4);
  std::vector<std::thread> threads;
  for (auto& mine : found)
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round)
        mine = values_of<double>(call("find_beats", {{"x", x}, {"rate_hz", kRate}})[0]);
    });
  for (auto& thread : threads) thread.join();
  for (const auto& mine : found) EXPECT_EQ(mine, expected);
}

#ifdef BEATSCAN_WITH_CUDA
class OperatorsOnCuda : public Operators<Cuda> {};

TEST_F(OperatorsOnCuda, WorkOnTheCurrentStreamAndLeaveNothing) {
  const at::Tensor x = this->x();
  const auto expected = values_of<float>(call("ricker_response", {{"x", x}, {"rate_hz", kRate}})[0]);
  const auto before = context().pool().statistics();
  {
    const c10::cuda::CUDAStreamGuard stream(c10::cuda::getStreamFromPool());
    const at::Tensor late = at::empty_like(x);
    for (int i = 0; i < 200; ++i) late.copy_(at::zeros_like(x));
    late.copy_(x);  // queued on the same stream, so the operator must wait for it
    const at::Tensor response = call("ricker_response", {{"x", late}, {"rate_hz", kRate}})[0].toTensor();
    response.record_stream(c10::cuda::getDefaultCUDAStream());
    EXPECT_EQ(values_of<float>(response), expected);
  }
  EXPECT_EQ(context().pool().statistics().current_bytes, before.current_bytes);
}
#endif

}  // namespace
}  // namespace beatscan
