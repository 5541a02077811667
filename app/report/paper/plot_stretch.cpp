// Finds the stretch that a picture shows, and its signal.
#include <algorithm>
#include <cmath>

#include "app/common/numbers.h"
#include "app/common/sha256.h"
#include "app/common/small_csv.h"
#include "app/config/config.h"
#include "app/output/report_overview.h"
#include "app/report/paper/plot.h"
#include "app/report/paper/strip.h"
#include "app/report/stored/beat_table.h"
#include "app/report/stored/stored_findings.h"
#include "app/report/stored/stored_result.h"
#include "app/report/stored/stored_signal.h"
#include "app/report/words/episode_labels.h"
#include "stages/common/interrupt.h"
#include "stages/io/input.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_plot(const std::string& what) { fail(ErrorKind::usage, "plot", what); }

// Returns seconds as positions; without a rate 250 samples stand for a second, as on the page.
double plot_seconds(const StoredResult& result, double seconds) { return result.rate_hz ? seconds : 250 * seconds; }

void check_row(std::int64_t row, std::int64_t rows, const char* option, const char* file) {
  if (row >= 0 && row < rows) return;
  refuse_plot(std::string(option) + " " + std::to_string(row) + ": " + file + " has " +
              (rows == 0 ? "no rows" : "the rows 0 to " + std::to_string(rows - 1)));
}

PlotStretch around_beat(const StoredResult& result, std::int64_t beat) {
  check_row(beat, result.beats.size(), "--beat", "beats.csv");
  const double half = plot_seconds(result, kPlotAroundBeat_s / 2), at = result.beat_position(beat);
  const char beat_class = result.beats.beat_class[beat];
  return {at - half, at + half,
          "beat " + std::to_string(beat) + (beat_class == BeatTable::kNoClass ? "" : std::string(", ") + beat_class)};
}

PlotStretch around_episode(const StoredResult& result, std::int64_t row) {
  if (!result.episodes) refuse_plot("--episode: " + (result.folder / "episodes.csv").string() + " does not exist");
  check_row(row, std::ssize(*result.episodes), "--episode", "episodes.csv");
  const StoredEpisode& episode = (*result.episodes)[row];
  constexpr double kEdge_s = 1, kLeast_s = 5;
  const double more = std::max(kEdge_s, (kLeast_s - (episode.to - episode.from)) / 2);
  PlotStretch stretch{episode.from - more, episode.to + more, label_words(episode.label),
                      std::pair(episode.from, episode.to)};
  stretch.cut = stretch.to - stretch.from > kLongestPlot_s;
  if (stretch.cut) stretch.to = stretch.from + kLongestPlot_s;
  return stretch;
}

double time_of_option(const char* option, const std::string& text) {
  const auto value = parsed_time(text);
  if (!value)
    refuse_plot(std::string(option) + " " + quoted(std::string_view(text)) +
                " is no time; write 12.5, 5:09.5 or 1:02:03");
  return *value;
}

PlotStretch between_times(const StoredResult& result, const PlotRequest& request) {
  const PlotStretch stretch{time_of_option("--from", request.from), time_of_option("--to", request.to), "", {}};
  if (stretch.from >= stretch.to) refuse_plot("--to must be after --from");
  if (stretch.from >= result.length())
    refuse_plot("--from is beyond the recording's end at " +
                position_text(result.length(), result.rate_hz.has_value(), 1));
  if (stretch.to - stretch.from > plot_seconds(result, kLongestPlot_s))
    refuse_plot("the stretch is longer than " + fixed(kLongestPlot_s, 0) + " s; ask for several pictures");
  return stretch;
}

// Reads the recording again, after checking that it is the one that was analysed.
Recording<Cpu> recording_again(Cpu& cpu, const StoredResult& result, const Config& config) {
  const Json& input = result.summary.at("input");
  const fs::path path = input.at("path").get<std::string>();
  const std::string where = path.string();
  const auto refuse = [&](const std::string& what) {
    fail(ErrorKind::input, where,
         what + ", and the result's folder does not hold this stretch; ask for one near a beat of the page's gallery");
  };
  if (path == "-") refuse("the recording came by standard input");
  if (input.at("sha256").is_null()) refuse("the result was de-identified");
  const IngestOptions options = ingest_options(config);
  const Input files = resolve_input(path, options);
  if (files.bytes != input.at("bytes").get<std::int64_t>() ||
      FileHash(files.parts).get() != input.at("sha256").get<std::string>())
    refuse("the file is not the one that was analysed");
  auto recording = read_recording(cpu, files, options, [](auto...) { throw_if_interrupted(); });
  if (recording.samples() != result.samples || recording.leads.size() < result.leads.size())
    refuse("the recording no longer reads as it did for the analysis");
  return recording;
}

}  // namespace

std::optional<double> parsed_time(const std::string& text) {
  double seconds = 0;
  std::size_t parts = 0;
  for (std::size_t at = 0; at <= text.size(); ++parts) {
    const auto end = std::min(text.find(':', at), text.size());
    const auto value = parse_double(std::string_view(text).substr(at, end - at));
    const bool last = end == text.size();
    if (!value || *value < 0 || (parts > 0 && *value >= 60) || (!last && *value != std::floor(*value)))
      return std::nullopt;
    seconds = 60 * seconds + *value;
    at = end + 1;
  }
  return parts <= 3 ? std::optional(seconds) : std::nullopt;
}

PlotStretch plotted_stretch(const StoredResult& result, const PlotRequest& request) {
  const bool times = !request.from.empty() || !request.to.empty();
  if (request.beat.has_value() + request.episode.has_value() + times != 1)
    refuse_plot("give --beat, or --episode, or --from and --to");
  if (times && (request.from.empty() || request.to.empty())) refuse_plot("give both --from and --to");
  PlotStretch stretch = request.beat      ? around_beat(result, *request.beat)
                        : request.episode ? around_episode(result, *request.episode)
                                          : between_times(result, request);
  // A stretch that reaches beyond an end of the recording is moved inside, or cut.
  const double length = std::min(stretch.to - stretch.from, result.length());
  if (!times) stretch.from = std::clamp(stretch.from, 0.0, result.length() - length);
  stretch.to = std::min(stretch.from + length, result.length());
  return stretch;
}

std::vector<std::vector<float>> plotted_signal(const StoredResult& result, std::int64_t first, std::int64_t end) {
  std::vector<std::vector<float>> leads;
  for (std::int64_t lead = 0; lead < std::ssize(result.leads); ++lead)
    if (auto samples = stored_signal(result, lead, first, end)) leads.push_back(std::move(*samples));
  if (std::ssize(leads) == std::ssize(result.leads)) return leads;
  Config config;
  apply(config, result.config, (result.folder / "config.json").string());
  Cpu cpu;
  const auto recording = recording_again(cpu, result, config);
  leads.clear();
  for (std::size_t l = 0; l < result.leads.size(); ++l) {
    const auto& lead = recording.leads[l];
    const std::span<const float> samples = lead.samples;
    leads.emplace_back(samples.begin() + first, samples.begin() + std::min(end, result.samples));
    const GapList gaps{to_host(cpu, lead.gap_firsts), to_host(cpu, lead.gap_lasts)};
    show_gaps_in_strip(long_gaps(gaps, config.quality.bridge_s, paper_scale(result).samples_per_second), first,
                       leads.back());
  }
  return leads;
}

}  // namespace beatscan
