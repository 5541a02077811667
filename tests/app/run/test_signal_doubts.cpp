#include "app/run/signal_doubts.h"

#include <gtest/gtest.h>

#include <vector>

#include "app/result/run_result.h"
#include "stages/findings/beat_class.h"
#include "stages/recording/recording.h"

namespace beatscan {
namespace {

using Beats = std::vector<std::int64_t>;

// Seven Q beats in good signal, all of them rows; no lead, so that nothing is looked for in samples.
struct UnknownBeats {
  BeatFacts beats;
  Findings findings;
  std::vector<Artefact> artefacts = std::vector<Artefact>(7, Artefact::none);

  UnknownBeats() {
    beats.found.quality.assign(7, Quality::good);
    for (std::int64_t i = 0; i < 7; ++i) {
      beats.found.r_peaks.push_back(static_cast<double>(200 * i));
      beats.kept.push_back(i);
    }
    findings.kinds.assign(7, Kind::unknown);
  }

  SignalDoubts doubts() const {
    Cpu cpu;
    const Recording<Cpu> recording;
    SignalDoubts told;
    add_signal_doubts(cpu, recording, beats, findings, artefacts, 250, told);
    return told;
  }
};

TEST(SignalDoubts, BeatsOfUnknownKindByWhatTheyLookLike) {
  UnknownBeats unknown;
  unknown.artefacts[1] = Artefact::step;
  unknown.artefacts[2] = Artefact::burst;
  unknown.findings.bent = {0, 0, 0, 1, 0, 1, 0};
  EXPECT_EQ(unknown.doubts().steps, Beats{1});
  EXPECT_EQ(unknown.doubts().bursts, Beats{2});
  EXPECT_EQ(unknown.doubts().bumps, (Beats{3, 5}));
}

TEST(SignalDoubts, OtherBeatsAreLeftOut) {
  UnknownBeats bumps;
  bumps.findings.bent.assign(7, 1);
  bumps.findings.kinds[0] = Kind::ventricular;
  bumps.findings.paced = {0, 1, 0, 0, 0, 0, 0};
  bumps.beats.found.quality[2] = Quality::noisy;
  bumps.beats.kept = {0, 1, 2, 4, 5, 6};  // the beat of the fourth row is 4
  bumps.artefacts = std::vector<Artefact>(6, Artefact::step);
  EXPECT_EQ(bumps.doubts().bumps, (Beats{4, 5, 6}))
      << "a V beat, a paced one, one in noisy signal and one that is no row";
  EXPECT_EQ(bumps.doubts().steps, (Beats{4, 5, 6}));
}

TEST(SignalDoubts, WithoutBentBeatsThereIsNoBump) { EXPECT_EQ(UnknownBeats().doubts().bumps, Beats()); }

}  // namespace
}  // namespace beatscan
