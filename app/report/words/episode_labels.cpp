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
    {"PAUSE", "pause", "pause"},
    {"AFIB", "atrial fibrillation", "atrial"},
    {"AFL", "atrial flutter", "atrial"},
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

constexpr std::array<EpisodeGroup, 6> kGroups = {{{"ventricular", "ventricular"},
                                                  {"atrial", "atrial"},
                                                  {"pause", "pauses"},
                                                  {"rate", "rate"},
                                                  {"signal", "signal"},
                                                  {"other", "other"}}};

}  // namespace

std::span<const EpisodeName> episode_names() { return kNames; }

std::size_t seriousness_of(std::string_view label) {
  return std::ranges::find(kNames, label, &EpisodeName::label) - kNames.begin();
}

std::string label_words(std::string_view label) {
  const auto place = seriousness_of(label);
  return std::string(place < kNames.size() ? kNames[place].words : label);
}

std::string_view group_of(std::string_view label) {
  const auto place = seriousness_of(label);
  return place < kNames.size() ? kNames[place].group : "other";
}

std::span<const EpisodeGroup> episode_groups() { return kGroups; }

}  // namespace beatscan
