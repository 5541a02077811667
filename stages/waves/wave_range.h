// stages/waves/wave_range.h — P, QRS and T waves of a range of beats. Memory for windows and masks is needed for one
// range at a time; ranges do not depend on each other.
//
// K beats of the recording, B of a range, L leads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/waves/cut_windows.h"
#include "kernels/waves/non_conducted.h"
#include "kernels/waves/wave_net.h"
#include "kernels/waves/window.h"

namespace beatscan {

template <class Context>
struct WaveLead {
  waves::LeadSignal signal;
  Buffer<double, Context> levels;  // of the baseline
};

// What all ranges read.
template <class Context>
struct WaveInputs {
  double rate_hz, st_values;
  waves::Net<Context> net;
  waves::SamplingTable<Context> table;
  Buffer<double, Context> r;               // [K] samples
  Buffer<double, Context> before, after;   // [K] see rr_intervals
  Buffer<std::int32_t, Context> labels;    // [K] templates
  Buffer<waves::Marks, Context> marks;     // [K]
  std::vector<WaveLead<Context>> leads{};  // [L]

  std::int64_t beats() const { return r.size(); }
};

// The results of ranges, each at the places of its own beats, and the results that depend on all beats. BeatWaves
// describes the arrays; shapes are those of non_conducted.h.
template <class Context>
struct WaveArrays {
  Buffer<float, Context> fiducials;                        // [K][9]
  Buffer<float, Context> lead_fiducials;                   // [L][K][9]
  Buffer<float, Context> lead_amplitudes;                  // [L][K][4]
  Buffer<float, Context> p_evidence;                       // [K]
  Buffer<float, Context> lead_tq_mv;                       // [L][K]
  Buffer<float, Context> shapes;                           // [K][L][32]
  Buffer<float, Context> lead_levels;                      // [L][3][K], see FoundWaves
  Buffer<float, Context> lead_heights;                     // [L][K]
  Buffer<float, Context> st_mv, p_similarity, confidence;  // [K], [K], [K][3] at the end
};

// The beats begin .. end - 1. The first of them is the last of the range before, because P waves need what lies before
// them: the T wave of the previous beat, and in an RR interval the masks of both beats. It is not the range's own,
// unless it is the first beat of the recording.
struct BeatRange {
  std::int64_t begin, end;

  std::int64_t beats() const { return end - begin; }  // B
  std::int64_t shared() const { return begin > 0 ? 1 : 0; }
  std::int64_t own() const { return beats() - shared(); }
  // Returns the range's part of an array of the recording with `width` values a beat.
  template <class T>
  std::span<const T> of(std::span<const T> all, std::int64_t width = 1) const {
    return all.subspan(begin * width, beats() * width);
  }
  // Returns the part of the own beats, of the whole array, and of one of the range.
  std::span<float> own_of(std::span<float> all, std::int64_t width) const {
    return all.subspan((begin + shared()) * width, own() * width);
  }
  template <class T>
  std::span<const T> own_in(std::span<const T> of_range, std::int64_t width) const {
    return of_range.subspan(shared() * width, own() * width);
  }
};

// Delineates ranges, one after the other. It keeps memory for the largest of them.
template <class Context>
class RangeDelineation {
 public:
  // `inputs` and `arrays` must live longer.
  RangeDelineation(Context&, const WaveInputs<Context>& inputs, WaveArrays<Context>& arrays, std::int64_t most_beats);

  // Writes the waves of the range's own beats. Returns the non-conducted P waves between its beats, with the beat's
  // number in the recording.
  std::vector<waves::NonConductedWave> run(const BeatRange& range);

  // Returns the bytes that a range takes for each of its beats.
  static std::int64_t bytes_a_beat(std::int64_t leads);

 private:
  using Floats = Buffer<float, Context>;
  // The windows of one lead.
  struct LeadWindows {
    Floats cut;                     // those of the range, and of up to 8 neighbours on either side
    Floats averages, heights;       // [B][320], [B]
    std::span<const float> single;  // [B][320] within `cut`
  };
  // Windows between beats.
  struct ExtraWindows {
    Buffer<std::int64_t, Context> list;  // [E]
    Buffer<double, Context> places;
    Buffer<waves::Marks, Context> marks;
    Floats masks;  // [E][3][320] mean over leads
  };

  ExtraWindows extra_windows_of(const BeatRange& range);
  void cut(const BeatRange& range, const WaveLead<Context>& lead, LeadWindows& windows);
  void delineate_lead(const BeatRange& range, std::int64_t l, ExtraWindows& extra);
  void add_extra_masks(const WaveLead<Context>& lead, std::span<const float> heights, bool first_lead,
                       ExtraWindows& extra);
  void keep_level(const BeatRange& range, std::int64_t l, std::span<const float> masks, waves::Mask wave);
  void measure_lead(const BeatRange& range, std::int64_t l);
  void masks_of(const WaveLead<Context>& lead, std::span<const float> windows, std::span<const float> heights,
                std::span<const waves::Marks> marks, std::span<const double> places, std::span<float> masks);
  void keep(const BeatRange& range, std::span<const float> of_range, std::int64_t width, std::span<float> all);

  Context& context_;
  const WaveInputs<Context>& inputs_;
  WaveArrays<Context>& arrays_;
  std::vector<LeadWindows> windows_;   // [L]
  Floats masks_, mean_;                // [B][3][320]; mean_ of several leads alone
  Floats lead_fiducials_, fiducials_;  // [L][B][9], [B][9]
  Floats lead_evidence_, p_evidence_;  // [L][B], [B]
  Floats tq_mv_, levels_;              // [B]
};

}  // namespace beatscan
