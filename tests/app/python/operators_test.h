// tests/app/python/operators_test.h — shared by the tests of operators: a recording, and its results from the stages
// alone.
#pragma once

#include <ATen/Functions.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "app/pipeline/models.h"
#include "app/python/analysis.h"
#include "app/python/arrays.h"
#include "app/synthetic/generate.h"
#include "stages/classify/findings.h"
#include "stages/methods/around_r_peaks.h"
#include "stages/methods/classification.h"
#include "stages/model/torch/torch_bridge.h"
#include "stages/model/vae.h"
#include "stages/score/score.h"
#include "tests/app/python/call_operator.h"
#include "tests/support/backends.h"

namespace beatscan {

inline constexpr double kRate = 250;
inline constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

inline std::string refusal(const std::string& name, const OperatorArguments& given) {
  try {
    call(name, given);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

template <class T>
std::vector<T> values_of(const at::Tensor& tensor) {
  const at::Tensor host = tensor.cpu().contiguous();
  const T* first = host.const_data_ptr<T>();
  return std::vector<T>(first, first + host.numel());  // not {}: for bools that is a list of two
}
template <class T>
std::vector<T> values_of(const c10::IValue& value) {
  return values_of<T>(value.toTensor());
}

inline Columns columns_in(const c10::Stack& results) { return results[0].to<Columns>(); }

inline std::vector<std::uint32_t> bits_of_tensor(const c10::IValue& value) { return bits_of(values_of<float>(value)); }

inline std::vector<float> synthetic_ecg() {
  constexpr std::int64_t kSamples = 250 * 90;
  std::vector<float> signal(kSamples);
  SyntheticEcg(kSamples, kRate, 0.1, 1).render(0, signal);
  return signal;
}

template <class Context>
class Operators : public OnBackend<Context> {
 protected:
  at::Tensor tensor(std::vector<float> values) {
    return at::tensor(values, at::kFloat).to(torch_device(this->context()));
  }
  at::Tensor x() { return tensor(synthetic_ecg()); }

  // Returns the same results from the stages alone.
  operators::KnownBeats<Context> found(const Recording<Context>& recording, const Config& config) {
    return operators::find_r_peaks(this->context(), recording, config);
  }
  Recording<Context> recording(const at::Tensor& x) {
#ifdef BEATSCAN_WITH_CUDA
    if (x.is_cuda()) c10::cuda::device_synchronize();  // LibTorch uses another stream
#endif
    return operators::recording_of(this->context(), array_from(x), kRate);
  }
  static Config config(Method method = Method::r_peaks) {
    Config config;
    config.method = method;
    config.ingest.sample_rate_hz = kRate;
    return config;
  }
};

// Returns the expected result of `score` for a model, from the stages.
template <class Context>
Ranking expected_ranking(Context& context, const Recording<Context>& recording, const Config& config,
                         const VaeModel& model) {
  const auto found = operators::find_r_peaks(context, recording, config);
  const auto embedded = operators::embed(context, recording, found, config);
  ScoredBeats scored = score_around_r_peaks(context, embedded, model, config.score);
  const auto kept = to_host(context, embedded.rows.kept);
  const Models models = read_models(config);
  const auto quality = quality_index(context, recording, models.quality, kRate);
  const RankedBeats<Context> ranked{recording, embedded, found.list, kept, *scored.ranking, quality, kRate};
  const auto known = shapes_and_intervals(context, ranked, config.rows);
  const auto waves = delineated_beats(context, ranked, known, models.waves, config.waves);
  const auto findings =
      classified_beats(context, ranked, known, table_of_beats(context, ranked, known, waves), models.classes);
  score_by_classes(findings, found.list, kept, config.score, scored);
  scored.ranking->rows = scored.rows;
  return *scored.ranking;
}

}  // namespace beatscan
