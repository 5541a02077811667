// stages/beats/mute_leads.h — finds where a lead does not show the beats that another lead shows.
//
// A lead that hums or wanders moves, but not as noise does, so that it counts as good. Where no lead shows beats, noise
// in one of them would be counted as beats in good signal of another.
//
//   height       of a beat in a lead: the envelope at its R peak; the median over the beat and the 5 on either side
//   usual        the median of the envelope at the beats in good signal of the lead; nothing where there are fewer
//                than 20 of them
//   between      the envelope in the middle between two R peaks, as a median over the same beats
//   faint        the height is less than a quarter of the usual one, and less than 3 times `between`: beats that became
//                small in a clean lead are not faint
//   stands out   the height is at least 1.5 times `between`
//   mute         the beat is faint or does not stand out
//   a source     a lead that the beat may come from: it is not faint there, and stands out in good signal, or lies in
//                noisy or clipped signal
//
// A lead in which a beat is mute is no good signal there, if another lead is a source of the beat. Where it is faint in
// all leads a gain may have changed, and where it stands out in none, all leads being good, the heart may beat fast
// with wide beats. A lead without a usual height has no mute beats, and no beat is faint in it.
#pragma once

namespace beatscan {

template <class Context>
struct Detection;

// Marks good blocks of a lead between mute beats as noisy. Nothing changes where there is one lead.
template <class Context>
void mark_mute_leads(Context&, Detection<Context>& detection);

}  // namespace beatscan
