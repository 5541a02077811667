#include "app/output/beats_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/common/build_info.h"
#include "app/common/numbers.h"
#include "app/config/config.h"
#include "app/output/output_folder.h"
#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "app/output/tables/parquet.h"
#include "app/output/tables/table.h"
#include "app/output/tables/table_csv.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "stages/classify/beat_findings.h"
#include "stages/score/scores.h"
#include "stages/waves/wave_summary.h"
#include "stages/waves/waves.h"

namespace beatscan {

std::optional<double> wave_time_s(const RunResult& result, std::int64_t beat, float values) {
  if (std::isnan(values)) return std::nullopt;
  return result.beats.found.r_peaks[beat] / *result.input.sample_rate_hz + double{values} / waves::kValuesHz;
}

namespace {

// Returns the metadata of a recording's table: its name, its sampling rate and the version of the program.
std::vector<std::pair<std::string, std::string>> table_facts(const RunResult& result) {
  return {{"recording", result.input.name},
          {"sample_rate_hz", result.input.sample_rate_hz ? exact(*result.input.sample_rate_hz) : ""},
          {"beatscan_version", BEATSCAN_VERSION}};
}

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

float finite_or_none(float value) { return std::isfinite(value) ? value : kNoValue; }

std::vector<std::string> quality_words() {
  std::vector<std::string> words;
  for (const Quality quality : kAllQualities) words.emplace_back(name_of(quality));
  return words;
}

// Makes the columns. A beat that was not accepted has no beat window, so it has no value in columns of beat windows.
class BeatColumns {
 public:
  explicit BeatColumns(const RunResult& result)
      : result_(result),
        ranks_(ranks_in_good_signal(result)),
        make_(std::ssize(result.beats.found.r_peaks)),
        rows_(result.beats.found.r_peaks.size(), -1) {
    for (std::size_t row = 0; row < result.beats.kept.size(); ++row)
      rows_[result.beats.kept[row]] = static_cast<std::int64_t>(row);
  }

  Table take() {
    add_times();
    add_row_scores();
    if (result_.scored.ranking) add_ranking();
    if (result_.classes.findings) add_findings();
    if (result_.scored.ranking) add_places();
    if (result_.waves.beats && result_.waves.beats->beats() > 0) add_waves();
    if (result_.classes.findings && !result_.classes.findings->posteriors.empty()) add_posteriors();
    Table table = make_.take();
    table.facts = table_facts(result_);
    return table;
  }

 private:
  using Index = std::int64_t;
  template <class Value>
  void row_floats(std::string name, Value value) {
    make_.floats(std::move(name), "",
                 [this, value](Index beat) { return rows_[beat] < 0 ? kNoValue : value(rows_[beat]); });
  }

  void add_times() {
    const auto& r_peaks = result_.beats.found.r_peaks;
    const auto rate = result_.input.sample_rate_hz;
    make_.integers("beat", "", [](Index beat) { return beat; });
    make_.integers("sample", "samples", [&](Index beat) { return nearest_sample(r_peaks[beat]); });
    make_.seconds("time_s", [&r_peaks, rate](Index beat) {
      return rate ? std::optional(static_cast<double>(nearest_sample(r_peaks[beat])) / *rate) : std::nullopt;
    });
    make_.seconds("rr_prev_s", [&](Index beat) { return interval_s(result_, beat - 1); });
    make_.seconds("rr_next_s", [&](Index beat) { return interval_s(result_, beat); });
    make_.integers("length_samples", "samples", [&](Index beat) {
      return beat + 1 < std::ssize(r_peaks)
                 ? std::optional(nearest_sample(r_peaks[beat + 1]) - nearest_sample(r_peaks[beat]))
                 : std::nullopt;
    });
  }

  void add_row_scores() {
    const RowScores& scores = result_.scored.rows;
    const auto& split = result_.model.training.split;
    const int latents = latents_of(result_);
    make_.flags("kept", [&](Index beat) { return rows_[beat] >= 0; });
    make_.words("split", {"train", "test"}, [&](Index beat) {
      if (rows_[beat] < 0 || split[rows_[beat]] == Split::none) return kNoWord;
      return split[rows_[beat]] == Split::train ? 0 : 1;
    });
    row_floats("reconstruction_error", [&](Index row) { return finite_or_none(scores.reconstruction_error[row]); });
    row_floats("kl", [&](Index row) { return finite_or_none(scores.kl[row]); });
    for (int z = 0; z < latents; ++z)
      row_floats("latent_" + std::to_string(z),
                 [&scores, latents, z](Index row) { return finite_or_none(scores.latents[row * latents + z]); });
    row_floats("score", [&](Index row) { return result_.scored.scores.score[row]; });
    make_.flags("anomalous", [&](Index beat) {
      return rows_[beat] < 0 ? std::nullopt : std::optional(result_.scored.scores.anomalous[rows_[beat]] != 0);
    });
  }

  // The columns of method r_peaks only.
  void add_ranking() {
    const Ranking& ranking = *result_.scored.ranking;
    make_.seconds("r_peak_s",
                  [&](Index beat) { return result_.beats.found.r_peaks[beat] / *result_.input.sample_rate_hz; });
    make_.floats("rr_prev_ratio", "",
                 [&](Index beat) { return finite_or_none(result_.beats.rhythm->prev_ratio[beat]); });
    make_.floats("rr_next_ratio", "",
                 [&](Index beat) { return finite_or_none(result_.beats.rhythm->next_ratio[beat]); });
    row_floats("waveform_score", [&](Index row) { return ranking.waveform[row]; });
    row_floats("rhythm_score", [&](Index row) { return ranking.rhythm[row]; });
    row_floats("baseline_score", [&](Index row) { return ranking.baseline.score[row]; });
    make_.words("quality", quality_words(), [&](Index beat) {
      return static_cast<std::int32_t>(std::ranges::find(kAllQualities, result_.beats.found.quality[beat]) -
                                       kAllQualities.begin());
    });
  }

  // The columns that show which beats to review first, and in which lead.
  void add_places() {
    const Ranking& ranking = *result_.scored.ranking;
    make_.integers("rank", "", [&](Index beat) {
      return rows_[beat] >= 0 && ranks_[rows_[beat]] > 0 ? std::optional(ranks_[rows_[beat]]) : std::nullopt;
    });
    make_.integers("lead", "", [&](Index beat) {
      return rows_[beat] < 0 ? std::nullopt : std::optional(std::int64_t{ranking.lead[rows_[beat]]});
    });
    row_floats("noise", [&](Index row) { return ranking.noise[row]; });
  }

  void add_findings() {
    const Findings& findings = *result_.classes.findings;
    std::vector<std::string> letters;
    for (const char letter : kClassLetters) letters.emplace_back(1, letter);
    make_.words("beat_class", letters,
                [&](Index beat) { return static_cast<std::int32_t>(findings.beat_classes[beat]); });
    make_.integers("template", "", [&](Index beat) {
      return findings.templates[beat] >= 0 ? std::optional(std::int64_t{findings.templates[beat]}) : std::nullopt;
    });
  }

  // The posteriors of the classes, and their contribution to the score.
  void add_posteriors() {
    const auto& posteriors = result_.classes.findings->posteriors;
    for (const auto& [name, c] :
         {std::pair{"p_n", kClassN}, {"p_s", kClassS}, {"p_v", kClassV}, {"p_artifact", kClassX}})
      make_.floats(name, "",
                   [&posteriors, c = c](Index beat) { return thousandths(posteriors[beat * kPosteriorClasses + c]); });
    row_floats("learned_score", [&](Index row) { return result_.scored.ranking->learned[row]; });
  }

  // P, QRS and T waves over leads: times from the recording's start, and intervals to a tenth of a millisecond.
  void add_waves() {
    const BeatWaves& found = *result_.waves.beats;
    for (const auto& [name, fiducial] : kWaveTimes)
      make_.seconds(std::string(name) + "_s", [this, &found, fiducial = fiducial](Index beat) {
        return wave_time_s(result_, beat, found.fiducials_of(beat)[fiducial]);
      });
    make_.floats("pr_ms", "ms", [&](Index beat) { return tenths(wave_intervals(found.fiducials_of(beat)).pr); });
    make_.floats("qrs_ms", "ms", [&](Index beat) { return tenths(wave_intervals(found.fiducials_of(beat)).qrs); });
    make_.floats("qt_ms", "ms", [&](Index beat) { return tenths(wave_intervals(found.fiducials_of(beat)).qt); });
    make_.floats("qtc_ms", "ms", [&](Index beat) { return tenths(found.qtc_ms[beat]); });
    make_.floats("st_mv", "mV", [&](Index beat) { return thousandths(found.st_mv[beat]); });
    make_.floats("p_evidence", "", [&](Index beat) { return thousandths(found.p_evidence[beat]); });
    make_.floats("p_similarity", "", [&](Index beat) { return thousandths(found.p_similarity[beat]); });
    for (const auto& [name, wave] : {std::pair{"p_confidence", waves::kMaskP},
                                     {"qrs_confidence", waves::kMaskQrs},
                                     {"t_confidence", waves::kMaskT}})
      make_.floats(name, "", [&found, wave = wave](Index beat) {
        return thousandths(found.confidence[beat * waves::kMasks + wave]);
      });
  }

  const RunResult& result_;
  std::vector<std::int64_t> ranks_;  // [rows]
  TableMaker make_;
  std::vector<std::int64_t> rows_;  // [beats] row of each beat; -1: none
};

}  // namespace

Table beats_table(const RunResult& result) { return BeatColumns(result).take(); }

namespace {

// Makes the columns of the rows of some beats.
class WaveRows {
 public:
  WaveRows(const RunResult& result, QtCorrection correction, const std::vector<double>& rr_s, std::int64_t first,
           std::int64_t end)
      : result_(result),
        waves_(*result.waves.beats),
        correction_(correction),
        rr_s_(rr_s),
        first_(first),
        leads_(std::ssize(waves_.leads)),
        make_((end - first) * leads_) {}

  Table take() {
    make_.integers("beat", "", [this](Index row) { return beat_of(row); });
    make_.integers("lead", "", [this](Index row) { return waves_.leads[row % leads_]; });
    for (const auto& [name, fiducial] : kWaveTimes)
      make_.seconds(std::string(name) + "_s", [this, fiducial = fiducial](Index row) {
        const float values =
            fiducial == waves::kTPeak ? waves_.lead_t_peak(row % leads_, beat_of(row)) : fiducials_of(row)[fiducial];
        return wave_time_s(result_, beat_of(row), values);
      });
    interval("pr_ms", [this](Index row) { return wave_intervals(fiducials_of(row)).pr; });
    interval("qrs_ms", [this](Index row) { return wave_intervals(fiducials_of(row)).qrs; });
    interval("qt_ms", [this](Index row) { return wave_intervals(fiducials_of(row)).qt; });
    interval("qtc_ms", [this](Index row) {
      const double qt_ms = wave_intervals(fiducials_of(row)).qt;
      return static_cast<float>(corrected_qt(qt_ms, rr_s_[beat_of(row)], correction_));
    });
    for (const auto& [name, amplitude] :
         {std::pair{"p_mv", waves::kPAmplitude}, {"st_mv", waves::kStLevel}, {"t_mv", waves::kTAmplitude}})
      make_.floats(name, "mV", [this, amplitude = amplitude](Index row) {
        return thousandths(waves_.lead_amplitudes[place_of(row) * waves::kAmplitudes + amplitude]);
      });
    Table table = make_.take();
    table.facts = table_facts(result_);
    return table;
  }

 private:
  using Index = std::int64_t;

  template <class Value>
  void interval(const char* name, Value value) {
    make_.floats(name, "ms", [value](Index row) { return tenths(value(row)); });
  }
  Index beat_of(Index row) const { return first_ + row / leads_; }
  // The index of a row in lists of [L][K].
  Index place_of(Index row) const { return row % leads_ * waves_.beats() + beat_of(row); }
  std::span<const float> fiducials_of(Index row) const {
    return std::span(waves_.lead_fiducials).subspan(place_of(row) * waves::kFiducials, waves::kFiducials);
  }

  const RunResult& result_;
  const BeatWaves& waves_;
  QtCorrection correction_;
  const std::vector<double>& rr_s_;
  Index first_, leads_;
  TableMaker make_;
};

// Returns the rows of some thousand beats at a time. `table` must outlive the returned function.
TableParts parts_of(const WavesTable& table) {
  constexpr std::int64_t kPartBeats = 8192;
  return [&table, part = Table(), first = std::int64_t{0}, is_begun = false]() mutable -> const Table* {
    if (std::exchange(is_begun, true) && first >= table.beats()) return nullptr;
    const std::int64_t end = std::min(first + kPartBeats, table.beats());
    part = table.rows(std::exchange(first, end), end);
    return &part;
  };
}

void write_waves_csv(OutputFolder& folder, const TableParts& parts) {
  folder.write_by("waves.csv", [&](const OutputFolder::Append& append) {
    bool has_header = false;
    while (const Table* part = parts()) write_csv(*part, !std::exchange(has_header, true), append);
  });
}

}  // namespace

WavesTable::WavesTable(const RunResult& result, const Config& config) : result_(result), config_(config) {
  if (beats() > 0)
    rr_s_ = local_rr_s(result.beats.found.r_peaks, result.beats.found.broken, *result.input.sample_rate_hz);
}

std::int64_t WavesTable::beats() const { return result_.waves.beats->beats(); }

Table WavesTable::rows(std::int64_t first, std::int64_t end) const {
  return WaveRows(result_, config_.waves.qtc, rr_s_, first, end).take();
}

void write_waves(OutputFolder& folder, const RunResult& result, const Config& config, TableForm form) {
  const WavesTable table(result, config);
  if (wants_csv(form)) write_waves_csv(folder, parts_of(table));
  if (wants_parquet(form)) folder.write("waves.parquet", parquet_bytes(parts_of(table)));
}

}  // namespace beatscan
