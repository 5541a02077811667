// app/output/hrv_csv.h — heart rate variability of parts of a recording: hrv.csv, and nn.csv with the intervals.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "stages/io/recording/signal_info.h"
#include "stages/rhythm/hrv.h"

namespace beatscan {

// A recording, and the parts of it that are wanted.
struct HrvRecording {
  double length_s = 0;
  std::optional<StartTime> start = {};
  std::span<const FileEvent> events = {};
  HrvPartOptions parts = {};
  HrvOptions measures = {};
};

// A part of a recording: one stretch, or the days or nights of it.
struct HrvPart {
  std::string name;             // whole, day, night, window or event
  std::vector<TimePart> times;  // empty: it has no such part
  bool known = true;            // whether it is known where the part is
  std::string event = {};       // its text
};

// Returns the parts in the order of the rows: whole, day and night; with a window also the windows from the start on,
// of which the last is shorter, and windows around the middle of each event. Day and night are not known if the night
// is given by the clock and the recording does not specify its start.
std::vector<HrvPart> hrv_parts(const HrvRecording& recording);

// Returns one row a part. The measures are those of stages/rhythm/hrv.h; empty where one has no value.
std::string hrv_csv(const RhythmBeats& beats, const RhythmFindings& findings, const HrvRecording& recording);

// Returns one row an NN interval: the time at which it ends, and its length.
std::string nn_csv(const RhythmBeats& beats, const Episodes& episodes);

}  // namespace beatscan
