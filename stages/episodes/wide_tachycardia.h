// stages/episodes/wide_tachycardia.h — tells a fast rhythm of wide beats from ventricular flutter and fibrillation.
//
// Wide beats at 100 to 240 a minute leave the signal as little rest as flutter does. Where most of them are V and
// come regularly, the rhythm is a tachycardia, which the rules of runs.h find.
#pragma once

namespace beatscan {

struct Episode;
struct RhythmBeats;
struct WideTachycardiaOptions;

// Says whether an episode of VF or VFL is a tachycardia of wide beats, throughout. Returns false where fewer than three
// beats lie in it.
bool is_wide_tachycardia(const RhythmBeats& beats, const Episode& episode, const WideTachycardiaOptions& options);

// Says whether beats come regularly throughout an episode, so that it is neither VF nor VFL.
bool has_regular_beats(const RhythmBeats& beats, const Episode& episode, const WideTachycardiaOptions& options);

}  // namespace beatscan
