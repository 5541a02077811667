// stages/findings/usual_first.h — chooses the usual shape of a recording in which most beats may be abnormal.
//
// The first template is usual, whatever it is (ventricular.h). In a recording of few beats another template that has at
// least least_share of them takes its place if its QRS complex is clearly narrower, or its beats are less often early:
//   width_weight log_width + early_weight (its share of early beats - the first one's) < -clearly
// log_width is that over the first template's. Of several such templates the one with the least sum is taken.
//
// In a longer recording it also has to be narrower by at least `narrower`, and its beats have to be early far less
// often:
//   log_width < -narrower and its share of early beats < the first one's - on_time
// where a beat is early if the interval before it is below early_ratio times the one behind it. So are the
// extrasystoles of a bigeminy without end, but not the beats of a block that comes and goes, or those of a pacemaker.
#pragma once

namespace beatscan {

struct KindOptions;
struct RowOptions;
struct UsualOptions;
template <class Context>
struct BeatTemplates;
template <class Context>
struct EmbeddedBeats;

// Changes the places of the first template and of the one that takes its place, and says whether there is one.
template <class Context>
bool put_usual_first(Context&, const EmbeddedBeats<Context>& embedded, const RowOptions& rows, const KindOptions& kinds,
                     const UsualOptions& options, BeatTemplates<Context>& templates);

}  // namespace beatscan
