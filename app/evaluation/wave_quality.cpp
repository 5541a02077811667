#include "app/evaluation/wave_quality.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "app/common/json_text.h"
#include "app/evaluation/match_beats.h"
#include "app/evaluation/quotient.h"

namespace beatscan {
namespace {

using Json = nlohmann::ordered_json;

// Returns for each beat of the result whether the reference has it.
std::vector<bool> beats_of_reference(const WaveTruth& truth, const FoundWaves& found, std::int64_t tolerance_us) {
  std::vector<std::int64_t> reference_us;
  for (const auto& wave : truth.waves)
    if (wave.type == WaveType::qrs) reference_us.push_back(wave.peak_us);
  std::vector<bool> are_known(found.beats_us.size(), reference_us.empty());
  for (const auto& beat : match_beats(reference_us, found.beats_us, tolerance_us))
    if (beat) are_known[*beat] = true;
  return are_known;
}

std::vector<std::int64_t> reference_times(const WaveTruth& truth, WaveFiducial fiducial) {
  std::vector<std::int64_t> times_us;
  for (const auto& wave : truth.waves)
    if (const auto time_us = time_of(wave, fiducial)) times_us.push_back(*time_us);
  std::ranges::sort(times_us);
  return times_us;
}

// Returns the peaks of the waves that the reference has without such a fiducial, such as T waves without an onset.
std::vector<std::int64_t> waves_without(const WaveTruth& truth, WaveFiducial fiducial) {
  std::vector<std::int64_t> peaks_us;
  for (const auto& wave : truth.waves)
    if (wave.type == type_of(fiducial) && !time_of(wave, fiducial)) peaks_us.push_back(wave.peak_us);
  std::ranges::sort(peaks_us);
  return peaks_us;
}

// Returns whether an ascending list has a time within the tolerance.
bool has_near(const std::vector<std::int64_t>& times_us, std::int64_t time_us, std::int64_t tolerance_us) {
  const auto near = std::ranges::lower_bound(times_us, time_us - tolerance_us);
  return near != times_us.end() && *near <= time_us + tolerance_us;
}

// Compares one type of fiducial; `counts` returns whether an unmatched one counts as detected.
template <class Counts>
FiducialQuality compare_fiducials(std::span<const std::int64_t> reference_us, std::vector<FoundFiducial> found,
                                  std::int64_t tolerance_us, const Counts& counts) {
  std::ranges::stable_sort(found, {}, &FoundFiducial::time_us);
  std::vector<std::int64_t> found_us;
  for (const auto& fiducial : found) found_us.push_back(fiducial.time_us);
  FiducialQuality quality{.reference = std::ssize(reference_us)};
  std::vector<bool> is_matched(found.size());
  const auto match = match_beats(reference_us, found_us, tolerance_us);
  for (std::size_t i = 0; i < match.size(); ++i) {
    if (!match[i]) continue;
    is_matched[*match[i]] = true;
    ++quality.matched;
    const double error_ms = static_cast<double>(found_us[*match[i]] - reference_us[i]) / 1000;
    quality.sum_ms += error_ms;
    quality.sum_of_squares += error_ms * error_ms;
  }
  quality.detected = quality.matched;
  for (std::size_t i = 0; i < found.size(); ++i) quality.detected += !is_matched[i] && counts(found[i]);
  return quality;
}

Json json_of_fiducial(const FiducialQuality& quality) {
  return {{"reference", quality.reference},
          {"detected", quality.detected},
          {"matched", quality.matched},
          {"sensitivity", or_null(quality.sensitivity())},
          {"ppv", or_null(quality.ppv())},
          {"f1", or_null(quality.f1())},
          {"mean_ms", or_null(quality.mean_ms())},
          {"sd_ms", or_null(quality.sd_ms())}};
}

}  // namespace

FiducialQuality& FiducialQuality::operator+=(const FiducialQuality& other) {
  reference += other.reference;
  detected += other.detected;
  matched += other.matched;
  sum_ms += other.sum_ms;
  sum_of_squares += other.sum_of_squares;
  return *this;
}

std::optional<double> FiducialQuality::sensitivity() const { return quotient(matched, reference); }
std::optional<double> FiducialQuality::ppv() const { return quotient(matched, detected); }
std::optional<double> FiducialQuality::f1() const { return quotient(2 * matched, reference + detected); }

std::optional<double> FiducialQuality::mean_ms() const {
  return matched > 0 ? std::optional(sum_ms / static_cast<double>(matched)) : std::nullopt;
}

std::optional<double> FiducialQuality::sd_ms() const {
  if (matched < 2) return std::nullopt;
  const auto n = static_cast<double>(matched);
  return std::sqrt(std::max(sum_of_squares - sum_ms * sum_ms / n, 0.0) / (n - 1));
}

WaveQuality compare_waves(const WaveTruth& truth, const FoundWaves& found, double tolerance_ms) {
  const auto tolerance_us = static_cast<std::int64_t>(std::llround(tolerance_ms * 1000));
  const auto are_known = beats_of_reference(truth, found, tolerance_us);
  WaveQuality quality{.lead = found.lead, .tolerance_ms = tolerance_ms};
  for (std::size_t i = 0; i < found.fiducials.size(); ++i) {
    const auto fiducial = static_cast<WaveFiducial>(i);
    if (!truth.covers(fiducial)) continue;
    const auto unmarked_us = waves_without(truth, fiducial);
    const auto counts = [&](const FoundFiducial& detected) {
      return truth.first_us <= detected.time_us && detected.time_us <= truth.last_us && are_known.at(detected.beat) &&
             !has_near(unmarked_us, detected.time_us, tolerance_us);
    };
    quality.fiducials[i] =
        compare_fiducials(reference_times(truth, fiducial), found.fiducials[i], tolerance_us, counts);
  }
  return quality;
}

std::string no_waves_warning(const std::filesystem::path& truth) {
  return truth.string() + " has annotations of waves, and the result has none to compare them with";
}

Json to_json(const PerFiducial<std::optional<FiducialQuality>>& fiducials) {
  Json json = Json::object();
  for (std::size_t i = 0; i < fiducials.size(); ++i)
    json[std::string(kWaveFiducialNames[i])] = fiducials[i] ? json_of_fiducial(*fiducials[i]) : Json(nullptr);
  return json;
}

Json to_json(const WaveQuality& quality) {
  Json json = {{"lead", quality.lead ? Json(*quality.lead) : Json(nullptr)}, {"tolerance_ms", quality.tolerance_ms}};
  json.update(to_json(quality.fiducials));
  return json;
}

}  // namespace beatscan
