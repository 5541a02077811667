// stages/classify/beat_classes.h — posteriors of the beat classes N, S, V and X of every beat.
//
// A series of rounds gives log odds of S, V and X against N, within most_odds. The first round reads the beat table.
// The later ones read it with another reference RR interval, which excludes beats whose posteriors of V and X add up to
// more than a half. It excludes none if these are more than 0.6 of all beats. The later rounds also read the context,
// which the previous round provides:
//   s_odds_before2 .. v_odds_after2               odds of the neighbouring beats
//   s_share_local, v_share_local, x_share_local   mean posterior of the beat and of 10 on either side
//   s_share, v_share                              mean posterior of the recording
//   s_odds_template, v_odds_template              mean odds of the beats of the same template
// In the series `clean` the odds of S are multiplied by (1 - p)^af_weight, where p is the probability of atrial
// fibrillation by intervals (column af_log_odds): no beat is premature there.
//
// Three log odds of the last rounds make the posteriors, after each is calibrated with a slope and an offset:
//   S against N           by the series `clean`
//   V, X against N and S  by the series `noise`, and by the evidence of neighbouring beats (class_chain.h)
#pragma once

#include <string>
#include <vector>

#include "stages/classify/class_chain.h"

namespace beatscan {

template <class Context>
class FeatureTable;

// Returns the names of the columns of the context, which rounds after the first read too.
std::vector<std::string> class_context_names();

// Returns the posteriors, [K][4]. Any number of threads gives the same bits, and both back ends differ in the last
// ones. Throws ErrorKind::input where the model reads a column that the table does not have.
template <class Context>
std::vector<float> class_posteriors(Context&, const FeatureTable<Context>& table, const ClassModel& model);

}  // namespace beatscan
