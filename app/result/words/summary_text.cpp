#include "app/result/words/summary_text.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "app/result/result_facts.h"
#include "app/result/run_result.h"
#include "app/result/words/doubt_warnings.h"
#include "app/result/words/drift_words.h"
#include "app/result/words/episode_words.h"
#include "app/result/words/finding_warnings.h"
#include "app/result/words/kind_warnings.h"
#include "app/text/numbers.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/counted.h"
#include "stages/common/one_line.h"
#include "stages/recording/lead_units.h"
#include "stages/score/scores.h"

namespace beatscan {
namespace {

std::string training_figures(const RunResult& result) {
  if (result.model.source)
    return "of " + result.model.source->string() + ", drift " +
           (result.drift ? significant(result.drift->value, 2) : "not known");
  const auto& loss = result.model.training.loss_per_epoch;
  return "loss " + significant(loss.front(), 4) + " to " + significant(loss.back(), 4) + " in " +
         counted(std::ssize(loss), "epoch");
}

std::string duration_figures(const RunResult& result) {
  if (!result.input.sample_rate_hz) return "not known: no sampling rate was given";
  return duration(static_cast<double>(result.input.samples) / *result.input.sample_rate_hz) + " at " +
         significant(*result.input.sample_rate_hz, 6) + " Hz";
}

// Says how much of the signal can be trusted, and what is wrong with the rest.
std::string signal_figures(const RunResult& result) {
  const auto share = analysable_share(result);
  if (!share) return "not judged by the published method";
  std::string figures = percent(*share) + " analysable";
  for (const auto& [kind, poor] : poor_shares(result))
    if (poor > 0) figures += ", " + percent(poor) + " " + name_of(kind);
  return figures;
}

// Says which leads have no unit, and what their amplitudes were taken as: "unknown; assumed mV for I, II; …". Empty
// where all have one, or none was measured.
std::string unit_figures(const RunResult& result) {
  if (!result.waves) return "";
  std::map<std::string, std::string> leads_of;  // by what was assumed
  for (const std::int64_t l : result.waves->leads) {
    const LeadFacts& lead = result.input.leads[l];
    const LeadScale scale = lead_scale(lead.unit, lead.range);
    if (!scale.assumed) continue;
    std::string& leads = leads_of[scale.mv_per_unit == 1 ? "mV" : significant(scale.mv_per_unit, 3) + " mV per unit"];
    leads += (leads.empty() ? "" : ", ") + lead.name;
  }
  std::string figures;
  for (const auto& [assumed, leads] : leads_of)
    figures += (figures.empty() ? "unknown; assumed " : "; ") + assumed + " for " + leads;
  return figures;
}

// Counts the abnormal beats in good signal by kind: ": 40 V, 3 S and 5 N"; empty where kinds are not known.
std::string abnormal_kinds(const RunResult& result) {
  if (!result.findings || !result.scored.ranking) return "";
  std::map<char, std::int64_t> counts;
  for (std::size_t row = 0; row < result.beats.kept.size(); ++row)
    if (const auto beat = result.beats.kept[row];
        result.scored.scores.anomalous[row] && result.beats.found.quality[beat] == Quality::good)
      ++counts[letter_of(result.findings->kinds[beat])];
  std::string words;
  for (const char kind : {'V', 'S', 'F', 'N', 'Q'})
    if (counts[kind] > 0) words += (words.empty() ? ": " : ", ") + grouped(counts[kind]) + " " + kind;
  return words;
}

// Names the abnormal beats in good signal first.
std::string abnormal_figures(const RunResult& result) {
  const AnomalyCounts counts = anomaly_counts(result);
  const KindPart& part = result.model.kind_part;
  const std::string figures = grouped(counts.good) + " (" + percent(counts.good_share()) + ") ",
                    above = "with a score above " + significant(result.scored.scores.threshold, 4) +
                            (part.most > 0 && !part.by_noise ? ", in which kinds V and S count" : "") +
                            abnormal_kinds(result);
  const auto lower = lower_ventricular_count(result);
  const std::string more =
      lower > 0 ? "; " + grouped(lower) + " more V " + (lower == 1 ? "has" : "have") + " a lower score" : "";
  if (counts.poor == 0 && counts.good_beats > 0) return figures + above + more;
  return figures + "in good signal " + above + more + "; " + grouped(counts.poor) + " more in poor signal (" +
         percent(1 - analysable_share(result).value_or(1)) + " of the recording), which may be noise";
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

// Returns how well beats of a kind are ranked; empty where there are none.
std::string ranking_figures(const Json& evaluation, const char* kind) {
  const std::string own = ranking_of(evaluation["anomaly"][kind]);
  if (own.empty()) return "";
  return std::string(kind) + " against N: " + own +
         (evaluation.contains("baseline") ? " (median beat: " + ranking_of(evaluation["baseline"][kind]) + ")" : "");
}

// Returns F1 of P, QRS and T: of the ends, which references lack least, or of the peaks.
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

// Says what is wrong with the model; empty where nothing is.
std::string model_warning(const RunResult& result) {
  const auto& d = result.model.diagnosis;
  if (!d.collapsed || result.scored.ranking) return "";
  const std::string errors = "its error " + significant(d.test_error, 3) + ", that of predicting the mean beat " +
                             significant(d.mean_beat_error, 3);
  if (d.active_latents == 0)
    return "the VAE has collapsed: no latent is active (" + errors +
           "), so scores rank the distance from one fixed beat";
  return "the VAE explains less than the mean beat does (" + errors +
         "): scores mean little; train longer or set vae.kl_weight lower";
}

constexpr double kManyBroken = 0.1;      // share of unknown RR intervals above which the user is warned
constexpr double kLittleGood = 0.5;      // share of good signal below which the user is warned of a lead
constexpr double kMuchPoor = 0.2;        // share of poor signal above which the user is warned
constexpr double kSomeTwoLevels = 0.15;  // share of blocks with two levels; of 340 records none has more than 0.11

// Says why the signal may be no ECG, or that it is cut off throughout.
std::vector<std::string> nature_warnings(const SignalNature& nature) {
  std::vector<std::string> warnings;
  if (nature.qrs_share < SignalNature::kLeastQrsShare)
    warnings.emplace_back("this may be no ECG: nothing in it is as steep as a QRS complex");
  if (nature.two_levels > SignalNature::kMostTwoLevels)
    warnings.emplace_back("this may be no ECG: the signal jumps between two levels, as a square wave does");
  else if (nature.two_levels > kSomeTwoLevels)
    warnings.push_back("in " + percent(nature.two_levels) +
                       " of the blocks the signal jumps between two levels: calibration pulses and square waves look "
                       "like that, and count as beats");
  if (nature.even > SignalNature::kMostEven)
    warnings.emplace_back("this may be no ECG: the signal rises or falls evenly through its range, as a sawtooth does");
  if (nature.rests_at_end > 0)
    warnings.push_back("the signal rests at its smallest or largest value for " + percent(nature.rests_at_end) +
                       " of the time: waves beyond it may be cut off");
  return warnings;
}

// Says why a lead has no part in the scores. float32 tells a median beat from noise if its amplitude is between 1e-30
// and 1e30, and at least a hundredth of the lead's range.
std::string no_part_warning(ValueRange values, const SignalNature& nature) {
  const double range = double{values.max} - values.min;
  if (range >= 1e-28 && range <= 1e30)
    return std::string("has no part in the scores, because ") +
           (nature.may_be_ecg() ? "fewer than two of its beats can be trusted" : "it may be no ECG");
  return "has no part in the scores, because its values, from " + significant(values.min, 3) + " to " +
         significant(values.max, 3) + ", are too " + (range < 1 ? "small" : "large") +
         " to work with; give it in another unit";
}

// Says that a lead drops out for moments; empty where it does not.
std::string drop_out_warning(const SignalQuality& lead, double rate_hz) {
  if (lead.drop_outs.empty()) return "";
  const auto count = std::ssize(lead.drop_outs);
  return "it jumps to one value and back " + (count == 1 ? "once" : grouped(count) + " times") + ", first at " +
         fixed(static_cast<double>(lead.drop_outs.front().first) / rate_hz, 1) +
         " s: such drop-outs are left out, and beats in them are not seen in this lead";
}

// Says what is wrong with each lead.
std::vector<std::string> lead_warnings(const RunResult& result) {
  std::vector<std::string> warnings;
  const auto& leads = result.beats.lead_quality;
  for (std::size_t l = 0; l < leads.size(); ++l) {
    const std::string lead = leads.size() == 1 ? "" : "lead '" + in_one_line(result.input.leads[l].name) + "': ";
    for (const auto& warning : nature_warnings(leads[l].nature)) warnings.push_back(lead + warning);
    if (auto warning = drop_out_warning(leads[l], *result.input.sample_rate_hz); !warning.empty())
      warnings.push_back(lead + warning);
    const double good = analysable_share(leads[l], result.input.samples);
    if (std::ranges::count(result.beats.leads, static_cast<std::int64_t>(l)) == 0)
      warnings.push_back(lead + no_part_warning(result.input.leads[l].range, leads[l].nature));
    else if (leads.size() > 1 && good < kLittleGood)
      warnings.push_back(lead + "only " + significant(100 * good, 3) +
                         " % of its signal is good: it counts where no lead is better");
  }
  return warnings;
}

// Says what was left out as P waves; empty where nothing was.
std::string left_out_warning(const RunResult& result) {
  const auto& left_out = result.beats.left_out;
  if (left_out.empty()) return "";
  const auto count = std::ssize(left_out);
  return grouped(count, "blunt wave") + by_count(count, ", at ", ", the first at ") +
         duration(static_cast<double>(left_out.front()) / *result.input.sample_rate_hz) + ", " +
         by_count(count, "was taken for a P wave", "were taken for P waves") + " without a beat: look there if " +
         by_count(count, "it is one", "they are beats");
}

// Says how poor the signal is; empty where most of it is good.
std::string poor_warning(const RunResult& result) {
  const auto share = analysable_share(result);
  if (!share || 1 - *share <= kMuchPoor) return "";
  return "only " + significant(100 * *share, 3) + " % of the signal is good" +
         std::string(result.beats.lead_quality.size() > 1 ? " in any lead" : "") +
         " (quality.csv): what is abnormal in the rest may be noise";
}

// Says that rhythm cannot be judged everywhere; empty where most RR intervals are known, and for the published method,
// which has no rhythm.
std::string interval_warning(const RunResult& result) {
  constexpr std::int64_t kFew = 10;
  const std::int64_t intervals = std::ssize(result.beats.found.broken),
                     unknown = std::ranges::count(result.beats.found.broken, 1);
  const double share = static_cast<double>(unknown) / static_cast<double>(std::max<std::int64_t>(intervals, 1));
  if (!result.beats.quality || unknown < kFew || share <= kManyBroken) return "";
  return "only " + significant(100 * (1 - share), 3) +
         " % of the RR intervals are known, because the others lie over gaps or flat stretches: a beat beside these is "
         "not judged by its rhythm";
}

// Says that the usual beats are beats in poor signal; empty where they are not.
std::string reference_warning(const RunResult& result) {
  if (result.beats.worst_trusted == Quality::good) return "";
  return std::string("fewer than two beats are in good signal, so beats in ") +
         (result.beats.worst_trusted == Quality::noisy ? "noise" : "noisy and clipped signal") +
         " show what is normal: the result is of poor signal, or this is no ECG";
}

// Warns of a median rate that no heart has; empty otherwise.
std::string heart_warning(const RunResult& result) {
  const auto rate = median_heart_rate(result);
  if (!rate || (*rate >= kSlowestHeart_bpm && *rate <= kFastestHeart_bpm)) return "";
  return "the heart would beat " + significant(*rate, 3) + " times a minute: is the sampling rate right?";
}

std::vector<std::string> signal_warnings(const RunResult& result) {
  return {reference_warning(result), poor_warning(result), interval_warning(result), left_out_warning(result),
          heart_warning(result)};
}

std::vector<std::string> model_warnings(const RunResult& result) {
  return {drift_warning(result), model_warning(result)};
}

}  // namespace

std::vector<std::string> warnings_of(const RunResult& result) {
  if (result.warnings) return *result.warnings;
  constexpr std::array kGroups{lead_warnings,  signal_warnings, finding_warnings,
                               doubt_warnings, kind_warnings,   model_warnings};
  std::array<std::vector<std::string>, std::size(kGroups)> of_group;
  parallel_each(Cpu(), std::ssize(kGroups), [&](std::int64_t i) { of_group[i] = kGroups[i](result); });
  std::vector<std::string> warnings = result.input.warnings;
  for (auto& some : of_group) std::ranges::move(some, std::back_inserter(warnings));
  std::erase(warnings, "");
  return warnings;
}

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
  if (result.rhythm) line("episodes", episode_figures(rhythm_beats(result), *result.rhythm));
  line("model", model_figures(result));
  if (!evaluation.is_null()) {
    line("detection", detection_figures(evaluation["detection"]));
    for (const char* kind : {"V", "SVF"})
      if (auto figures = ranking_figures(evaluation, kind); !figures.empty()) line("ranking", figures);
    if (evaluation.contains("waves")) line("waves", wave_figures(evaluation["waves"]));
  }
  const auto warnings = std::ssize(warnings_of(result));
  line("warnings", warnings == 0 ? "none" : std::to_string(warnings) + " (see summary.json)");
  line("time", time_figures(result));
  line("results", folder.string());
  return text;
}

}  // namespace beatscan
