// stages/classify/beat_findings.h — the classes, templates and groups of beats as a result has them, and their options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace beatscan {

enum class BeatClass : std::uint8_t { normal, supraventricular, ventricular, fusion, unknown };

// The letters of the beat classes, in the order of BeatClass.
inline constexpr std::string_view kClassLetters = "NSVFQ";

inline constexpr int kBeatClassCount = 5;
static_assert(kClassLetters.size() == kBeatClassCount && static_cast<int>(BeatClass::unknown) + 1 == kBeatClassCount);

// Places in the posteriors of a beat: N, S, V, and X, a false detection.
inline constexpr int kPosteriorClasses = 4;
enum : int { kClassN, kClassS, kClassV, kClassX };

inline char letter_of(BeatClass beat_class) { return kClassLetters[static_cast<std::size_t>(beat_class)]; }

enum class Chamber : std::uint8_t { none, atria, ventricles };

// Returns "atria" or "ventricles"; empty for none.
constexpr const char* name_of(Chamber chamber) {
  return chamber == Chamber::atria ? "atria" : chamber == Chamber::ventricles ? "ventricles" : "";
}

struct Pacing {
  Chamber chamber = Chamber::none;
  double place_s = 0;  // from the R peak to the impulse
};

struct BeatGroup {
  std::int64_t shape = 0;  // the template of most of its beats
  BeatClass beat_class = BeatClass::normal;
  std::int64_t beats = 0;
};

// The classification of the beats, on the host.
struct Findings {
  std::vector<BeatClass> beat_classes;   // [K] the most probable class of each detected beat
  std::vector<std::int32_t> templates;   // [K] places in `groups`; -1 for a beat that was not kept
  std::vector<BeatGroup> groups;         // the templates, the largest first
  std::vector<Pacing> pacing = {};       // [groups] (pacing.h); empty: undetermined
  std::vector<std::uint8_t> paced = {};  // [K] 1 where the ventricles are paced; empty if none is
  std::vector<float> posteriors = {};    // [K][4] of N, S, V and of a false detection (stages/classify)

  bool is_paced(std::int64_t beat) const { return !paced.empty() && paced[beat] != 0; }
};

// See templates.h for their meaning.
struct TemplateOptions {
  double qrs_from_s = -0.100, qrs_to_s = 0.180;  // the part of a row that distinguishes shapes
  double rest_weight = 0.2;                      // weight of the rest of a row
  double lead_floor = 0.02;                      // added to a lead's spread^2, so that no lead outweighs all others
  double distance_floor = 0.1;                   // added to |a| |b|, so that flat beats are not far from each other
  double radius_factor = 6, least_radius = 0.05, most_radius = 0.25;
  double member_radius = 1.5;  // beats within this number of radii of a centre make the next centre
  double merge_radius = 0.7;   // centres within this number of radii of each other become one
  int most = 39;               // number of templates
  int fewest_beats = 3;        // a template of fewer beats is dropped, except the first
  int passes = 2;              // number of k-means passes
  int sample = 2048;           // beats whose neighbours are counted; half of them the most atypical
};

// See findings.h for their meaning.
struct GroupOptions {
  int fewest_beats = 3;
  double least_share = 0.001;
  int most = 40;  // number of groups, at least 5, so that each beat class may have one
};

}  // namespace beatscan
