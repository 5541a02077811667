// app/report/paper/plot.h — draws a stretch of a recording as a strip for a paper or a slide: a picture of its own, at
// 25 mm/s and 10 mm/mV, with grid, calibration pulse, names of the leads, classes of the beats, and times.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/report/paper/plot_waves.h"
#include "app/report/paper/png.h"

namespace beatscan {

struct StoredResult;

// The stretch that the user asks for, by a beat, an episode, or its two ends.
struct PlotRequest {
  std::filesystem::path folder, out;
  std::optional<std::int64_t> beat, episode;  // rows of beats.csv and episodes.csv, from 0
  std::string from, to;                       // seconds or h:min:s; samples where no rate is known
  std::optional<double> dpi;                  // of a PNG picture; nothing: kPictureDpi
  bool waves = false;                         // mark P, QRS and T waves
  bool force = false;
};

// Positions in seconds, or in samples where no rate is known. `shade` is the episode within the stretch.
struct PlotStretch {
  double from = 0, to = 0;
  std::string name;  // "beat 1234, V" or "ventricular tachycardia"; empty for a stretch by its ends
  std::optional<std::pair<double, double>> shade;
  bool cut = false;  // an episode that is longer than a strip may be
};

inline constexpr double kPlotAroundBeat_s = 10;  // of the strip around a beat
inline constexpr double kLongestPlot_s = 60;

// Returns the number of seconds that a text such as 12.5, 5:09.5 or 1:02:03 means; nothing where it means none.
std::optional<double> parsed_time(const std::string& text);

// Returns the stretch that is asked for, within the recording. Throws ErrorKind::usage where not exactly one is asked
// for, where it is too long, or where there is no such beat, episode or time.
PlotStretch plotted_stretch(const StoredResult& result, const PlotRequest& request);

// Returns the samples of each lead from `first` to before `end`. They come from the folder or, where it does not hold
// them, from the recording, which is read again. Samples in a gap that is longer than quality.bridge_s are NaN. Throws
// ErrorKind::input where the recording is gone, or is another one by its size or its hash.
std::vector<std::vector<float>> plotted_signal(const StoredResult& result, std::int64_t first, std::int64_t end);

// Returns the picture as SVG. `leads` are the samples from the stretch's first one on; where they are NaN the trace is
// broken and the paper grey. `waves` are marked.
Drawing plot_drawing(const StoredResult& result, const PlotStretch& stretch, std::int64_t first,
                     const std::vector<std::vector<float>>& leads, const PlotWaves& waves = {});

// Returns the bytes of the picture in the form that the name of the file asks for.
std::string picture_file(const Drawing& drawing, const PlotRequest& request);

// Throws ErrorKind::usage where the name of the file ends neither in .svg nor in .png, and where a resolution is asked
// for that is out of range, or of a file that has none.
void check_picture(const PlotRequest& request);

}  // namespace beatscan
