#include "app/output/files/episodes_csv.h"

#include <cmath>

#include "app/common/numbers.h"
#include "app/output/result_facts.h"
#include "app/output/tables/csv_row.h"
#include "stages/rhythm/episode.h"
#include "stages/rhythm/episodes.h"

namespace beatscan {
std::string episodes_csv(const RhythmBeats& beats, const Episodes& episodes,
                         const std::optional<StartTime>& start_time) {
  std::string text = "start_s,end_s,start_sample,end_sample,label,beats,rate_bpm,confidence,quality,time_of_day\n";
  for (const Episode& episode : episodes.list) {
    const std::int64_t start = std::llround(episode.start), end = std::llround(episode.end);
    const auto rate = rate_of(episode, beats, episodes.hidden);
    Row line(text);
    const double start_s = static_cast<double>(start) / beats.sample_rate_hz;
    line.seconds(start_s);
    line.seconds(static_cast<double>(end) / beats.sample_rate_hz);
    line.number(start).number(end).cell(name_of(episode.label)).number(episode.beats);
    line.cell(rate ? fixed(*rate, 1) : "").cell(fixed(episode.confidence, 3));
    line.cell(name_of(episode.quality)).cell(start_time ? time_of_day(*start_time, start_s) : "");
  }
  return text;
}

}  // namespace beatscan
