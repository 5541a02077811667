// app/revision/corrections.h — what a reader corrects in a result: corrections.json, or an annotation file.
//
//   {"format": "beatscan corrections", "version": 1,
//    "recording": {"sha256": "…"},                                  of the result's input; optional
//    "beats":     [{"time_s": 12.3, "beat_class": "V"}, {"time_s": 13.1, "action": "delete"},
//                  {"time_s": 14.2, "action": "insert", "beat_class": "N"}],
//    "templates": [{"time_s": 99.2, "beat_class": "V"}],            of the beat at this time; or {"template": 3, …}
//    "noise":     [{"from_s": 10, "to_s": 20.5}],
//    "episodes":  [{"label": "AFIB", "from_s": 100.2, "to_s": 250, "verdict": "rejected"}]}
// A verdict is confirmed, rejected or added; what is added may lie where something was rejected. All lists are
// optional. Later entries win over earlier ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/evaluation/truth.h"
#include "stages/classify/beat_findings.h"
#include "stages/rhythm/episode.h"

namespace beatscan {

// A correction is of the nearest beat up to this far away, as in ANSI/AAMI EC57.
inline constexpr double kSameBeat_s = 0.150;

enum class BeatAction : std::uint8_t { reclassify, remove, insert };

struct BeatCorrection {
  double time_s = 0;
  BeatAction action = BeatAction::reclassify;
  BeatClass beat_class = BeatClass::normal;  // not of `remove`
  bool operator==(const BeatCorrection&) const = default;
};

struct TemplateCorrection {
  std::optional<double> time_s;        // of one of its beats
  std::optional<std::int64_t> number;  // if there is no time
  BeatClass beat_class = BeatClass::normal;
  bool operator==(const TemplateCorrection&) const = default;
};

struct NoiseMark {
  double from_s = 0, to_s = 0;
  bool operator==(const NoiseMark&) const = default;
};

enum class Verdict : std::uint8_t { confirmed, rejected, added };

struct EpisodeCorrection {
  EpisodeLabel label = EpisodeLabel::noise;
  double from_s = 0, to_s = 0;
  Verdict verdict = Verdict::confirmed;
  bool operator==(const EpisodeCorrection&) const = default;
};

struct Corrections {
  std::string input_sha256;  // of the recording; empty: not known
  std::vector<BeatCorrection> beats;
  std::vector<TemplateCorrection> templates;
  std::vector<NoiseMark> noise;
  std::vector<EpisodeCorrection> episodes;
};

// Reads the text of a corrections.json. Throws ErrorKind::input, naming `path` and the entry, such as "beats[3]".
Corrections parse_corrections(const std::string& text, const std::filesystem::path& path);

// Returns the text of a corrections.json, from which the same corrections are read.
std::string corrections_text(const Corrections& corrections);

// Returns how many of the earlier corrections are not among the later ones.
std::int64_t missing_in(const Corrections& earlier, const Corrections& later);

// Returns both, the later ones last. Those that end the earlier ones already count once.
Corrections joined(Corrections earlier, const Corrections& later);

// Returns the corrections that make the beats of a result those of a reader's list: beats of either are matched within
// 150 ms; classes that differ are corrected, beats without a match are deleted or inserted.
//   samples  [K] of the result's beats, ascending
//   classes  [K]
Corrections corrections_of_beats(const std::vector<ReferenceBeat>& listed, const std::vector<double>& samples,
                                 const std::vector<BeatClass>& classes, double sample_rate_hz);

}  // namespace beatscan
