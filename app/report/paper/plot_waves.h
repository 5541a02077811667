// app/report/paper/plot_waves.h — P, QRS and T waves of a stretch, which a picture marks.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace beatscan {

struct StoredResult;

enum class WaveLetter { p, qrs, t };

// A wave to mark, in seconds from the recording's start: from onset to end, a T wave from its peak to its end. The
// letter is at the peak.
struct PlotWave {
  WaveLetter letter;
  double from, peak, to;
};

struct PlotWaves {
  std::vector<PlotWave> all;                               // over leads
  std::map<std::int64_t, std::vector<PlotWave>> of_leads;  // those of single leads, where waves.csv has the lead

  // Returns the waves to mark in a lead: its own or, where there are none, those over leads.
  const std::vector<PlotWave>& of(std::int64_t lead) const {
    const auto own = of_leads.find(lead);
    return own == of_leads.end() ? all : own->second;
  }
};

// Returns the waves that reach into a stretch. P waves without a QRS complex are in every list. Throws ErrorKind::usage
// where the result has no waves.
PlotWaves plotted_waves(const StoredResult& result, double from_s, double to_s);

}  // namespace beatscan
