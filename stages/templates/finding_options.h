// stages/templates/finding_options.h — options of the classification of beats.
#pragma once

#include <cstdint>

namespace beatscan {

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

// See groups.h for their meaning.
struct GroupOptions {
  int fewest_beats = 3;
  double least_share = 0.001;
  int most = 40;  // number of groups, at least 5, so that each beat class may have one
};

}  // namespace beatscan
