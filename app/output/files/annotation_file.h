// app/output/files/annotation_file.h — a result's beats and episodes as a WFDB annotation file, for tools such as
// LightWAVE and rdann.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace beatscan {

struct Episode;
struct RunResult;

// A beat as an annotation.
struct BeatMark {
  std::int64_t sample;
  char symbol;       // N, S, V, F, Q or ?
  std::string text;  // auxiliary text, at most 255 bytes; empty: none
};

// Returns the file's bytes in MIT format (WFDB Programmer's Guide, annot(5)). A note at the start specifies the
// sampling rate, if known. A rhythm change `+` marks the start of an episode, with a text such as "(AFIB". Another one
// at its end has the text of the surrounding episode, or "(N" if there is none. VF and VFL also begin with `[` and end
// with `]`. Of episodes that begin at one sample, only the shortest has a mark.
//   beats     ascending
//   episodes  by start
std::string annotation_file(const std::vector<BeatMark>& beats, const std::vector<Episode>& episodes,
                            std::optional<double> sample_rate_hz);

// Returns the file of a result. A beat's symbol is its class, and its text is its score. The method published has no
// beat classes: a beat is N, or Q if it is abnormal, or ? if it has no score.
std::string annotation_file(const RunResult& result);

}  // namespace beatscan
