#include "app/summary_text.h"

#include <algorithm>
#include <charconv>

#include "app/csv_files.h"
#include "stages/robust.h"

namespace beatscan {
namespace {

std::string compact(double value, int digits) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr};
}

// How much of the signal can be trusted, as a line; nothing where all of it can.
std::string signal_line(const RunResult& result) {
  std::string kinds;
  double good = 1;
  for (const auto& [kind, share] : poor_shares(result)) {
    good -= share;
    if (share > 0) kinds += ", " + compact(100 * share, 3) + " % " + name_of(kind);
  }
  if (kinds.empty()) return "";
  return "\nsignal     " + compact(100 * std::max(good, 0.0), 4) + " % good" + kinds + " (quality.csv)";
}

std::string training_figures(const RunResult& result) {
  if (result.model_source) return "of " + result.model_source->string();
  const auto& loss = result.training.loss_per_epoch;
  return "loss " + compact(loss.front(), 4) + " to " + compact(loss.back(), 4) + " in " + std::to_string(loss.size()) +
         " epochs";
}

std::string ranking_figures(const Json& ranking) {
  if (!ranking["auroc"].is_number()) return "";
  return "AUROC " + compact(ranking["auroc"].get<double>(), 4) + ", average precision " +
         compact(ranking["average_precision"].get<double>(), 4);
}

// What is wrong with the model; empty where nothing is.
std::string model_warning(const RunResult& result) {
  const auto& d = result.diagnosis;
  if (!d.collapsed || result.ranking) return "";
  const std::string errors =
      "its error " + compact(d.test_error, 3) + ", that of predicting the mean beat " + compact(d.mean_beat_error, 3);
  if (d.active_latents == 0)
    return "the VAE has collapsed: no latent is active (" + errors +
           "), so scores rank the distance from one fixed beat";
  return "the VAE explains less than the mean beat does (" + errors +
         "): scores mean little; train longer or set vae.kl_weight lower";
}

constexpr double kSlowest = 25, kFastest = 250;  // beats a minute that a heart may have for most of a recording
constexpr double kLittleSignal = 0.5;            // share of good signal below which a result says little

}  // namespace

std::vector<std::pair<Quality, double>> poor_shares(const RunResult& result) {
  std::vector<std::pair<Quality, double>> shares;
  if (!result.quality) return shares;
  for (const Quality kind : {Quality::missing, Quality::flat, Quality::clipped, Quality::noisy})
    shares.push_back({kind, 0});
  for (const auto& stretch : poor_stretches(*result.quality, result.samples))
    std::ranges::find(shares, stretch.kind, &std::pair<Quality, double>::first)->second +=
        static_cast<double>(stretch.last - stretch.first) / static_cast<double>(result.samples);
  return shares;
}

std::int64_t anomalies_in_poor_signal(const RunResult& result) {
  if (!result.ranking) return 0;
  std::int64_t count = 0;
  for (std::size_t row = 0; row < result.kept.size(); ++row)
    count += result.scores.anomalous[row] && !result.beats.trusted[result.kept[row]];
  return count;
}

std::optional<double> median_heart_rate(const RunResult& result) {
  const auto& r_peaks = result.beats.r_peaks;
  std::vector<double> intervals;
  for (std::size_t i = 0; i + 1 < r_peaks.size(); ++i)
    if (!result.beats.broken[i]) intervals.push_back(r_peaks[i + 1] - r_peaks[i]);
  if (!result.sample_rate_hz || intervals.empty()) return std::nullopt;
  return 60 * *result.sample_rate_hz / quantile(intervals, 0.5);
}

std::vector<std::string> warnings_of(const RunResult& result) {
  std::vector<std::string> warnings = result.input_warnings;
  double good = 1;
  for (const auto& [kind, share] : poor_shares(result)) good -= share;
  if (good < kLittleSignal)
    warnings.push_back("only " + compact(100 * std::max(good, 0.0), 3) + " % of the signal is good (quality.csv)");
  if (const auto rate = median_heart_rate(result); rate && (*rate < kSlowest || *rate > kFastest))
    warnings.push_back("the heart would beat " + compact(*rate, 3) + " times a minute: is the sampling rate right?");
  if (auto warning = model_warning(result); !warning.empty()) warnings.push_back(std::move(warning));
  return warnings;
}

std::string summary_text(const RunResult& result, const std::filesystem::path& folder, const Json& evaluation) {
  const auto& d = result.diagnosis;
  const auto dropped = std::ssize(result.beats.r_peaks) - std::ssize(result.kept);
  std::string text =
      result.input.string() + ": " + std::to_string(result.samples) + " samples of '" + result.column + "'";
  if (result.sample_rate_hz)
    text += " at " + compact(*result.sample_rate_hz, 6) + " Hz, " +
            compact(static_cast<double>(result.samples) / *result.sample_rate_hz / 60, 4) + " minutes";
  if (result.missing > 0)
    text += ", " + std::to_string(result.missing) + " missing in " + std::to_string(result.gaps) +
            (result.gaps == 1 ? " gap" : " gaps");
  text += "\nbeats      " + std::to_string(result.beats.r_peaks.size()) + " found, " +
          std::to_string(result.kept.size()) + " kept, " + std::to_string(dropped) + " dropped";
  if (const auto rate = median_heart_rate(result)) text += ", " + compact(*rate, 3) + " a minute";
  text += signal_line(result);
  const std::int64_t unsure = anomalies_in_poor_signal(result);
  text += "\nanomalous  " + std::to_string(result.scores.anomalous_count - unsure) + " with a score above " +
          compact(result.scores.threshold, 3) +
          (unsure > 0 ? ", " + std::to_string(unsure) + " more in poor signal" : "");
  text += "\nmodel      " + training_figures(result) + ", " + std::to_string(d.active_latents) +
          " active latents, error " + compact(d.test_error, 3) + " (mean beat " + compact(d.mean_beat_error, 3) + ")";
  if (!evaluation.is_null()) {
    const auto& detection = evaluation["detection"];
    if (detection["f1"].is_number())
      text += "\ndetection  F1 " + compact(detection["f1"].get<double>(), 5) + " within " +
              compact(detection["tolerance_ms"].get<double>(), 4) + " ms";
    for (const char* name : {"V", "SVF"})
      if (const auto figures = ranking_figures(evaluation["anomaly"][name]); !figures.empty())
        text +=
            std::string("\nranking    ") + name + " against N: " + figures +
            (evaluation.contains("baseline") ? " (median beat: " + ranking_figures(evaluation["baseline"][name]) + ")"
                                             : "");
  }
  text += "\ntime       " + compact(result.wall_s, 3) + " s on " + result.device.name;
  for (const auto& stage : result.stages) text += ", " + stage.name + " " + compact(stage.seconds, 3);
  return text + "\nresults    " + folder.string() + "\n";
}

}  // namespace beatscan
