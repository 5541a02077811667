#include "app/output/summary_text.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "app/common/numbers.h"
#include "app/output/advisories.h"
#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "kernels/runtime/parallel.h"
#include "stages/classify/advisories.h"
#include "stages/common/counted.h"
#include "stages/common/one_line.h"
#include "stages/rhythm/episode.h"
#include "stages/score/scores.h"

namespace beatscan {

ScoreParts named_parts(double waveform, double rhythm) {
  const double share = rhythm / (std::max(rhythm, 0.0) + std::max(waveform, 0.0));
  return {share > kNamedShare, !(share >= 1 - kNamedShare)};
}

std::string rhythm_words(float prev_ratio, float next_ratio) {
  constexpr double kOff = 0.075;  // intervals that deviate by more are reported
  std::string words;
  if (const double prematurity = 1.0 - prev_ratio; prematurity > kOff)
    words = fixed(100 * prematurity, 0) + " % premature";
  if (const double late = prev_ratio - 1.0; late > kOff) words = fixed(100 * late, 0) + " % late";
  if (const double pause = next_ratio - 1.0; pause > kOff)
    words += std::string(words.empty() ? "" : "; ") + "next RR interval " + fixed(100 * pause, 0) + " % longer";
  return words;
}

namespace {

struct LabelTotal {
  std::int64_t count = 0;
  double seconds = 0;
  double certain = 0;     // seconds times confidence
  std::int64_t poor = 0;  // of those that follow from beats
};

bool is_brief(EpisodeLabel label) { return label == EpisodeLabel::ventricular_couplet || label == EpisodeLabel::pause; }

// Returns whether such an episode is detected in the signal itself, so that poor signal does not make it uncertain.
bool is_of_signal(EpisodeLabel label) {
  return label == EpisodeLabel::ventricular_fibrillation || label == EpisodeLabel::ventricular_flutter ||
         label == EpisodeLabel::noise || label == EpisodeLabel::gap;
}

// Returns the text that follows the number of episodes of a label.
std::string details_of(EpisodeLabel label, const LabelTotal& total) {
  std::string details = is_brief(label) ? "" : duration(total.seconds);
  if (total.poor > 0)
    details +=
        (details.empty() ? "" : ", ") + (total.poor == total.count ? "" : grouped(total.poor) + " ") + "in poor signal";
  if (const double confidence = total.seconds > 0 ? total.certain / total.seconds : 1;
      confidence < advisory_limits::kLowConfidence)
    details += (details.empty() ? "" : ", ") + ("low confidence " + fixed(confidence, 2));
  return details.empty() ? "" : " (" + details + ")";
}

}  // namespace

std::string episode_figures(const RhythmBeats& beats, const RhythmFindings& findings) {
  std::map<EpisodeLabel, LabelTotal> totals;
  for (const Episode& episode : findings.episodes.list) {
    LabelTotal& total = totals[episode.label];
    ++total.count;
    const double seconds = (episode.end - episode.start) / beats.sample_rate_hz;
    total.seconds += seconds;
    total.certain += seconds * episode.confidence;
    total.poor += episode.quality != Quality::good && !is_of_signal(episode.label);
  }
  std::string figures;
  for (const auto& [label, total] : totals) {
    figures += figures.empty() ? "" : ", ";
    figures += std::string(name_of(label)) + " " + grouped(total.count) + details_of(label, total);
  }
  if (figures.empty()) figures = "none";
  if (findings.af.assessed_s == 0) figures += "; atrial fibrillation undetermined";
  return figures;
}

namespace {

std::string training_figures(const RunResult& result) {
  if (result.model.source)
    return "of " + result.model.source->string() + ", drift " +
           (result.model.drift ? significant(result.model.drift->value, 2) : "not known");
  const auto& loss = result.model.training.loss_per_epoch;
  const std::string from = loss.size() > 1 ? significant(loss.front(), 4) + " to " : "";
  return "loss " + from + significant(loss.back(), 4) + " in " + counted(std::ssize(loss), "epoch");
}

std::string duration_figures(const RunResult& result) {
  if (!result.input.sample_rate_hz) return "not known: no sampling rate was given";
  return duration(static_cast<double>(result.input.samples) / *result.input.sample_rate_hz) + " at " +
         significant(*result.input.sample_rate_hz, 6) + " Hz";
}

// Returns the usable share of the signal, and the causes for the rest.
std::string signal_figures(const RunResult& result) {
  const auto share = analysable_share(result);
  if (!share) return "not analysed by the published method";
  std::string figures = percent(*share) + " analysable";
  for (const auto& [quality, poor] : poor_shares(result))
    if (poor > 0) figures += ", " + percent(poor) + " " + name_of(quality);
  return figures;
}

// Returns which leads have no unit, and the assumed unit of their amplitudes: "unknown; assumed mV for I, II; …". Empty
// if all have a unit, or none was measured.
std::string unit_figures(const RunResult& result) {
  if (!result.waves.beats) return "";
  std::map<std::string, std::string> leads_of;  // by the assumed unit
  for (const std::int64_t l : result.waves.beats->leads) {
    const LeadFacts& lead = result.input.leads[l];
    const LeadScale& scale = lead.scale;
    if (!scale.assumed) continue;
    std::string& leads = leads_of[scale.mv_per_unit == 1 ? "mV" : significant(scale.mv_per_unit, 3) + " mV per unit"];
    leads += (leads.empty() ? "" : ", ") + lead.name;
  }
  std::string figures;
  for (const auto& [assumed, leads] : leads_of)
    figures += (figures.empty() ? "unknown; assumed " : "; ") + assumed + " for " + leads;
  return figures;
}

// Counts the abnormal beats in good signal by class: ": 40 V, 3 S and 5 N"; empty if classes are unknown.
std::string abnormal_classes(const RunResult& result) {
  if (!result.classes.findings || !result.scored.ranking) return "";
  std::map<char, std::int64_t> counts;
  for (std::size_t row = 0; row < result.beats.kept.size(); ++row)
    if (const auto beat = result.beats.kept[row];
        result.scored.scores.anomalous[row] && result.beats.found.quality[beat] == Quality::good)
      ++counts[letter_of(result.classes.findings->beat_classes[beat])];
  std::string words;
  for (const char beat_class : {'V', 'S', 'N', 'Q'})
    if (counts[beat_class] > 0) words += (words.empty() ? ": " : ", ") + grouped(counts[beat_class]) + " " + beat_class;
  return words;
}

// Lists the abnormal beats in good signal first.
std::string abnormal_figures(const RunResult& result) {
  const AnomalyCounts counts = anomaly_counts(result);
  const std::string figures = grouped(counts.good) + " (" + percent(counts.good_share()) + ") ",
                    above = "with a score above " + significant(result.scored.scores.threshold, 4) +
                            abnormal_classes(result);
  const auto lower = lower_ventricular_count(result);
  const std::string more =
      lower > 0 ? "; " + grouped(lower) + " more V " + (lower == 1 ? "has" : "have") + " a lower score" : "";
  if (counts.poor == 0 && counts.good_beats > 0) return figures + above + more;
  return figures + "in good signal " + above + more + "; " + grouped(counts.poor) + " more in poor signal (" +
         percent(1 - analysable_share(result).value_or(1)) + " of the recording)";
}

std::string model_figures(const RunResult& result) {
  if (!result.model.why_none.empty()) return "none: " + result.model.why_none;
  const auto& d = result.model.diagnosis;
  return training_figures(result) + ", " + counted(d.active_latents, "active latent") + ", error " +
         significant(d.test_error, 3) + " (mean beat " + significant(d.mean_beat_error, 3) + ")";
}

std::string detection_figures(const Json& detection) {
  if (!detection["f1"].is_number()) return "no beats to compare";
  return "F1 " + significant(detection["f1"].get<double>(), 5) + " within " +
         significant(detection["tolerance_ms"].get<double>(), 4) + " ms";
}

std::string ranking_of(const Json& ranking) {
  if (!ranking["auroc"].is_number()) return "";
  return "AUROC " + significant(ranking["auroc"].get<double>(), 4) + ", average precision " +
         significant(ranking["average_precision"].get<double>(), 4);
}

// Returns how well beats of a class are ranked; empty if there are none.
std::string ranking_figures(const Json& evaluation, const char* beat_class) {
  const std::string own = ranking_of(evaluation["anomaly"][beat_class]);
  if (own.empty()) return "";
  return std::string(beat_class) + " against N: " + own +
         (evaluation.contains("baseline") ? " (median beat: " + ranking_of(evaluation["baseline"][beat_class]) + ")"
                                          : "");
}

// Returns F1 of P, QRS and T: of the ends, which references omit least often, or of the peaks.
std::string wave_figures(const Json& waves) {
  std::string figures;
  for (const auto& [name, fiducials] :
       {std::pair{"P", std::array{"p_end", "p_peak"}}, {"QRS", {"qrs_end", "qrs_onset"}}, {"T", {"t_end", "t_peak"}}})
    for (const char* fiducial : fiducials) {
      const Json& quality = waves[fiducial];
      if (quality.is_null() || !quality["f1"].is_number()) continue;
      figures += (figures.empty() ? "F1 of " : ", ") + (name + (" " + significant(quality["f1"].get<double>(), 4)));
      break;
    }
  return figures.empty() ? "none to compare"
                         : figures + " within " + significant(waves["tolerance_ms"].get<double>(), 4) + " ms";
}

std::string time_figures(const RunResult& result) {
  std::string figures = significant(result.run.wall_s, 3) + " s on " + result.run.device.name;
  for (const auto& stage : result.run.stages) figures += ", " + stage.name + " " + significant(stage.seconds, 3);
  return figures;
}

// Counts the advisories and the serious ones: "3, 1 serious (see summary.json)".
std::string advisory_figures(const RunResult& result) {
  const auto advisories = advisories_of(result);
  if (advisories.empty()) return "none";
  const auto serious = std::ranges::count(advisories, Severity::serious, &Advisory::severity);
  return std::to_string(advisories.size()) + (serious > 0 ? ", " + std::to_string(serious) + " serious" : "") +
         " (see summary.json)";
}

}  // namespace

std::string summary_text(const RunResult& result, const std::filesystem::path& folder, const Json& evaluation) {
  std::string text = result.input.path.string() + ": " + grouped(result.input.samples, "sample") + " of '" +
                     result.input.signal.name + "'";
  for (std::size_t i = 1; i < result.input.leads.size(); ++i) text += ", '" + result.input.leads[i].name + "'";
  const bool several = result.input.leads.size() > 1;
  for (const LeadFacts& lead :
       several ? result.input.leads
               : std::vector<LeadFacts>{{.missing = result.input.missing, .gaps = result.input.gaps}})
    if (lead.missing > 0)
      text += ", " + grouped(lead.missing) + " missing in " + grouped(lead.gaps, "gap") +
              (several ? " of '" + lead.name + "'" : "");
  text = in_one_line(text) + "\n";
  const auto line = [&](std::string label, const std::string& figures) {
    label.resize(11, ' ');
    text += label + in_one_line(figures) + "\n";
  };
  const auto found = std::ssize(result.beats.found.r_peaks), kept = std::ssize(result.beats.kept);
  line("duration", duration_figures(result));
  const auto rate = median_heart_rate(result);
  line("beats", grouped(found) + " found, " + grouped(kept) + " kept, " + grouped(found - kept) + " dropped" +
                    (rate ? ", " + fixed(*rate, 0) + " a minute (median)" : ""));
  line("signal", signal_figures(result));
  if (const auto figures = unit_figures(result); !figures.empty()) line("unit", figures);
  line("abnormal", abnormal_figures(result));
  if (result.rhythm.findings) line("episodes", episode_figures(rhythm_beats(result), *result.rhythm.findings));
  line("model", model_figures(result));
  if (!evaluation.is_null()) {
    line("detection", detection_figures(evaluation["detection"]));
    for (const char* beat_class : {"V", "SVF"})
      if (auto figures = ranking_figures(evaluation, beat_class); !figures.empty()) line("ranking", figures);
    if (evaluation.contains("waves")) line("waves", wave_figures(evaluation["waves"]));
  }
  line("advisories", advisory_figures(result));
  line("time", time_figures(result));
  line("results", folder.string());
  return text;
}

}  // namespace beatscan
