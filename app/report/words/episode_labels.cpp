#include "app/report/words/episode_labels.h"

#include <algorithm>
#include <array>

namespace beatscan {
namespace {

constexpr std::array<EpisodeName, 19> kNames = {{
    {"VF", "ventricular fibrillation", "ventricular"},
    {"VFL", "ventricular flutter", "ventricular"},
    {"ASYS", "asystole", "pause"},
    {"VT", "ventricular tachycardia", "ventricular"},
    {"AFIB", "atrial fibrillation", "atrial"},
    {"AFL", "atrial flutter", "atrial"},
    {"PAUSE", "pause", "pause"},
    {"SVT", "supraventricular tachycardia (SVT)", "atrial"},
    {"IVR", "idioventricular rhythm", "ventricular"},
    {"BI", "second-degree AV block (Wenckebach)", "pause"},
    {"NOD", "junctional rhythm", "atrial"},
    {"BRADY", "sudden bradycardia", "pause"},
    {"B", "bigeminy", "ventricular"},
    {"T", "trigeminy", "ventricular"},
    {"V2", "ventricular couplet", "ventricular"},
    {"SBR", "bradycardia", "rate"},
    {"STACH", "tachycardia", "rate"},
    {"NOISE", "noise", "signal"},
    {"GAP", "no signal", "signal"},
}};

}  // namespace

std::span<const EpisodeName> episode_names() { return kNames; }

std::string label_words(std::string_view label) {
  const auto name = std::ranges::find(kNames, label, &EpisodeName::label);
  return std::string(name == kNames.end() ? label : name->words);
}

}  // namespace beatscan
