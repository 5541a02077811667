#include "app/report/paper/plot_waves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/common/small_csv.h"
#include "app/report/stored/beat_table.h"
#include "app/report/stored/stored_result.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

// The stretch that is drawn, in seconds.
struct DrawnStretch {
  double from_s, to_s;
  bool shows(double from, double to) const { return from < to_s && to > from_s; }  // not where one is NaN
};

void append(const WaveTimes& beat, const DrawnStretch& stretch, std::vector<PlotWave>& waves) {
  for (const PlotWave& wave :
       {PlotWave{WaveLetter::p, beat.p_onset, beat.p_peak, beat.p_end},
        PlotWave{WaveLetter::qrs, beat.qrs_onset, (beat.qrs_onset + beat.qrs_end) / 2, beat.qrs_end},
        PlotWave{WaveLetter::t, beat.t_peak, beat.t_peak, beat.t_end}})
    if (stretch.shows(wave.from, wave.to)) waves.push_back(wave);
}

void append_non_conducted(const StoredResult& result, const DrawnStretch& stretch, std::vector<PlotWave>& waves) {
  const auto& lone = result.arrays.non_conducted_p;
  for (std::int64_t i = 0; !lone.values.empty() && i < lone.shape[0]; ++i) {
    const double from = result.position(static_cast<double>(lone.row(i)[0])),
                 to = result.position(static_cast<double>(lone.row(i)[1]));
    if (stretch.shows(from, to)) waves.push_back({WaveLetter::p, from, (from + to) / 2, to});
  }
}

// Reads the waves of single leads. A lead of which the file has a row is there, whether or not it has waves.
void read_leads_of_waves(const std::filesystem::path& path, const DrawnStretch& stretch, std::int64_t leads,
                         PlotWaves& waves) {
  constexpr std::string_view columns[] = {"lead",        "p_onset_s", "p_peak_s", "p_end_s",
                                          "qrs_onset_s", "qrs_end_s", "t_peak_s", "t_end_s"};
  for_each_row(path, columns, [&](auto cells, std::int64_t line) {
    const auto lead = parse_int64(cells[0]);
    if (!lead || *lead < 0 || *lead >= leads)
      fail_at_line(path, line, quoted(cells[0]) + " is no lead of the result; run the analysis again");
    std::array<double, 7> times;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto time = parse_double(cells[i + 1]);
      if (!time && !cells[i + 1].empty())
        fail_at_line(path, line, quoted(cells[i + 1]) + " is not a number; run the analysis again");
      times[i] = time.value_or(WaveTimes::kNone);
    }
    append({times[0], times[1], times[2], times[3], times[4], times[5], times[6]}, stretch, waves.of_leads[*lead]);
  });
}

}  // namespace

PlotWaves plotted_waves(const StoredResult& result, double from_s, double to_s) {
  if (result.beats.waves.empty())
    fail(ErrorKind::usage, "--waves",
         "the result has no P, QRS and T waves; run the analysis again with this version, with the method r_peaks");
  const DrawnStretch stretch{from_s, to_s};
  PlotWaves waves;
  for (const WaveTimes& beat : result.beats.waves) append(beat, stretch, waves.all);
  std::error_code ignored;
  if (const auto path = result.folder / "waves.csv"; std::filesystem::exists(path, ignored))
    read_leads_of_waves(path, stretch, std::ssize(result.leads), waves);
  append_non_conducted(result, stretch, waves.all);
  for (auto& [lead, own] : waves.of_leads) append_non_conducted(result, stretch, own);
  return waves;
}

}  // namespace beatscan
