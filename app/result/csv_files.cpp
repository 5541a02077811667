#include "app/result/csv_files.h"

#include <algorithm>

#include "app/result/csv_row.h"
#include "app/result/summary_text.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

// The columns that only beats found around R peaks have.
constexpr const char* kRPeakColumns =
    ",r_peak_s,rr_prev_ratio,rr_next_ratio,waveform_score,rhythm_score,baseline_score,quality,noise,rank,lead";
constexpr const char* kFindingColumns = ",kind,template";

std::string beats_header(const RunResult& result) {
  const int latents = latents_of(result);
  std::string header = "beat,sample,time_s,rr_prev_s,rr_next_s,length_samples,kept,split,reconstruction_error,kl,";
  for (int z = 0; z < latents; ++z) header += "latent_" + std::to_string(z) + ",";
  return header + "score,anomalous" + (result.scored.ranking ? kRPeakColumns : "") +
         (result.findings ? kFindingColumns : "") + "\n";
}

const char* name_of(Split split) { return split == Split::train ? "train" : split == Split::test ? "test" : ""; }

// `row` is the beat's place among the kept beats; nothing for a beat that was not kept.
void append_row(const RunResult& result, int latents, std::optional<std::int64_t> row, Row& line) {
  if (!row) {
    line.cell("0");
    for (int i = 0; i < latents + 5; ++i) line.empty();
    return;
  }
  line.cell("1").cell(name_of(result.model.training.split[*row]));
  line.number_or_empty(result.scored.rows.reconstruction_error[*row]).number_or_empty(result.scored.rows.kl[*row]);
  for (int z = 0; z < latents; ++z) line.number_or_empty(result.scored.rows.latents[*row * latents + z]);
  line.number(result.scored.scores.score[*row]).cell(result.scored.scores.anomalous[*row] ? "1" : "0");
}

// `rank` is 0 for a beat that has none.
void append_r_peak(const RunResult& result, std::int64_t beat, std::optional<std::int64_t> row, std::int64_t rank,
                   Row& line) {
  line.seconds(result.beats.found.r_peaks[beat] / *result.input.sample_rate_hz);
  line.number_or_empty(result.beats.rhythm->prev_ratio[beat]).number_or_empty(result.beats.rhythm->next_ratio[beat]);
  if (row)
    line.number(result.scored.ranking->waveform[*row])
        .number(result.scored.ranking->rhythm[*row])
        .number(result.scored.ranking->baseline.score[*row]);
  else
    line.empty().empty().empty();
  line.cell(name_of(result.beats.found.quality[beat]));
  if (row)
    line.number(result.scored.ranking->noise[*row]);
  else
    line.empty();
  if (rank > 0)
    line.number(rank);
  else
    line.empty();
  if (row)
    line.number(std::int64_t{result.scored.ranking->lead[*row]});
  else
    line.empty();
}

void append_beat(const RunResult& result, int latents, std::int64_t beat, std::optional<std::int64_t> row,
                 const std::vector<std::int64_t>& ranks, std::string& text) {
  const auto& r_peaks = result.beats.found.r_peaks;
  const std::int64_t sample = nearest_sample(r_peaks[beat]);
  Row line(text);
  line.number(beat).number(sample);
  line.seconds(result.input.sample_rate_hz ? std::optional(static_cast<double>(sample) / *result.input.sample_rate_hz)
                                           : std::nullopt);
  line.seconds(interval_s(result, beat - 1)).seconds(interval_s(result, beat));
  if (beat + 1 < std::ssize(r_peaks))
    line.number(nearest_sample(r_peaks[beat + 1]) - sample);
  else
    line.empty();
  append_row(result, latents, row, line);
  if (result.scored.ranking) append_r_peak(result, beat, row, row ? ranks[*row] : 0, line);
  if (!result.findings) return;
  const char kind = letter_of(result.findings->kinds[beat]);
  line.cell({&kind, 1});
  if (result.findings->templates[beat] >= 0)
    line.number(std::int64_t{result.findings->templates[beat]});
  else
    line.empty();
}

}  // namespace

std::optional<double> interval_s(const RunResult& result, std::int64_t beat) {
  const auto& r_peaks = result.beats.found.r_peaks;
  if (beat < 0 || beat + 1 >= std::ssize(r_peaks) || !result.input.sample_rate_hz) return std::nullopt;
  if (result.beats.found.broken[beat]) return std::nullopt;  // there may be unseen beats between the two
  return static_cast<double>(nearest_sample(r_peaks[beat + 1]) - nearest_sample(r_peaks[beat])) /
         *result.input.sample_rate_hz;
}

std::optional<std::int64_t> longest_interval(const RunResult& result) {
  const auto& found = result.beats.found;
  std::optional<std::int64_t> longest;
  const auto length = [&](std::int64_t beat) { return found.r_peaks[beat + 1] - found.r_peaks[beat]; };
  for (std::int64_t beat = 0; beat + 1 < std::ssize(found.r_peaks); ++beat)
    if (!found.broken[beat] && (!longest || length(beat) > length(*longest))) longest = beat;
  return longest;
}

int latents_of(const RunResult& result) {
  return static_cast<int>(result.scored.rows.latents.size() / std::max<std::size_t>(result.scored.rows.kl.size(), 1));
}

// Several threads write a part each: a day has 100,000 beats, which take one thread 30 ms.
std::string beats_csv(const RunResult& result) {
  const int latents = latents_of(result);
  const auto beats = std::ssize(result.beats.found.r_peaks);
  std::vector<std::optional<std::int64_t>> rows(beats);
  for (std::size_t row = 0; row < result.beats.kept.size(); ++row) rows[result.beats.kept[row]] = row;
  const auto ranks = result.scored.ranking ? ranks_in_good_signal(result) : std::vector<std::int64_t>();
  constexpr std::int64_t kPartBeats = 4096;
  std::vector<std::string> parts((beats + kPartBeats - 1) / kPartBeats);
  parallel_for(Cpu(), std::ssize(parts), 1, [&](std::int64_t first_part, std::int64_t last_part) {
    for (std::int64_t part = first_part; part < last_part; ++part) {
      parts[part].reserve(kPartBeats * 128);
      for (std::int64_t beat = part * kPartBeats; beat < std::min((part + 1) * kPartBeats, beats); ++beat)
        append_beat(result, latents, beat, rows[beat], ranks, parts[part]);
    }
  });
  std::string text = beats_header(result);
  std::size_t size = text.size();
  for (const auto& part : parts) size += part.size();
  text.reserve(size);
  for (const auto& part : parts) text += part;
  return text;
}

std::string quality_csv(const RunResult& result) {
  std::string text = "from_s,to_s,quality,lead\n";
  const auto& leads = result.beats.lead_quality;  // none as published
  for (std::int64_t l = 0; l < std::ssize(leads); ++l)
    for (const auto& stretch : poor_stretches(leads[l], result.input.samples)) {
      Row line(text);
      line.seconds(static_cast<double>(stretch.first) / *result.input.sample_rate_hz);
      line.seconds(static_cast<double>(stretch.last) / *result.input.sample_rate_hz);
      line.cell(name_of(stretch.kind)).number(l);
    }
  return text;
}

const char* name_of(Quality quality) {
  switch (quality) {
    case Quality::good:
      return "good";
    case Quality::flat:
      return "flat";
    case Quality::clipped:
      return "clipped";
    case Quality::noisy:
      return "noisy";
    case Quality::missing:
      return "missing";
  }
  return "";
}

std::string generated_csv(const RunResult& result) {
  std::string text;
  {
    Row header(text);
    for (std::int64_t point = 0; point < result.beats.row_points; ++point)
      header.cell(std::string("p") += std::to_string(point));
  }
  for (std::size_t i = 0; i < result.model.training.generated.size();) {
    Row line(text);
    for (std::int64_t point = 0; point < result.beats.row_points; ++point)
      line.number(result.model.training.generated[i++]);
  }
  return text;
}

}  // namespace beatscan
