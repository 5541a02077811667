#include "stages/rhythm/runs.h"

#include "stages/rhythm/episode.h"
#include "tests/stages/rhythm/listed_beats.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

template <class Context>
class Rates : public OnBackend<Context> {
 protected:
  std::vector<Episode> found(const ListedForTest& beats, const RateOptions& options = {}) {
    const IntervalFlags none(beats.broken.size());
    return slow_and_fast(this->context(), beats.view(), all_linked(beats), none, none, beats.samples(), options);
  }
  std::string text(const ListedForTest& beats, const RateOptions& options = {}) {
    return labelled(found(beats, options), beats);
  }
};
TYPED_TEST_SUITE(Rates, Backends, BackendNames);

TYPED_TEST(Rates, SlowAndFastByHand) {
  const std::string many(101, 'N');
  EXPECT_EQ(this->text(beats_of(many, 1.21)), "SBR 0-100");
  EXPECT_EQ(this->text(beats_of(many, 1.2)), "") << "50 a minute is not slower than that";
  EXPECT_EQ(this->text(beats_of(many, 0.59)), "STACH 0-100");
  EXPECT_EQ(this->text(beats_of(many, 0.6)), "") << "100 a minute is not faster than that";
  EXPECT_EQ(this->text(beats_of(many, 0.8), {.slow_bpm = 80, .fast_bpm = 90}), "SBR 0-100");
}

// Two of three beats come after 0.55 s and one after 1.2 s: 78 a minute, though the median interval says 109.
TYPED_TEST(Rates, OfAlternatingIntervalsIsTheirMean) {
  ListedForTest beats = beats_of("N", 1);
  for (int i = 0; i < 60; ++i) {
    beats.add("NN", 0.55);
    beats.add('N', 1.2);
  }
  EXPECT_EQ(this->text(beats), "");
  beats.add(std::string(80, 'N'), 0.55);
  EXPECT_EQ(this->text(beats), "STACH 179-260");
}

// Each eighth interval is twice as long, as where a beat is missed: 107 a minute.
TYPED_TEST(Rates, MissedBeatsDoNotHideATachycardia) {
  ListedForTest beats = beats_of("N", 1);
  for (int i = 1; i <= 320; ++i) beats.add('N', i % 8 == 0 ? 1.0 : 0.5);
  EXPECT_EQ(this->text(beats), "STACH 0-312") << "the last interval, a long one, counts beyond the end, too";
}

// A pause, or a long interval in the middle, does not make a rate slower.
TYPED_TEST(Rates, APauseDoesNotHideATachycardia) {
  ListedForTest beats = beats_of(std::string(71, 'N'), 0.57);
  beats.add('N', 9);
  beats.add(std::string(71, 'N'), 0.57);
  EXPECT_NE(this->text(beats), "");
}

// 30 s of 0.5 s in the middle of a usual rhythm; its last interval is 29.5 s after its first in the shorter case.
TYPED_TEST(Rates, LeastDuration) {
  for (const int fast : {59, 60}) {
    ListedForTest beats = beats_of(std::string(61, 'N'), 0.8);
    beats.add(std::string(fast, 'N'), 0.5);
    beats.add(std::string(60, 'N'), 0.8);
    const std::string text = this->text(beats);
    EXPECT_EQ(text, fast == 60 ? "STACH 60-120" : "") << fast;
  }
}

TYPED_TEST(Rates, ShortRecordings) {
  EXPECT_EQ(this->text(beats_of("NNNNNN", 1.5)), "SBR 0-5") << "half of 7.5 s is enough";
  EXPECT_EQ(this->text(beats_of("NNNNN", 1.5)), "") << "four intervals do not tell";
  EXPECT_EQ(this->text(beats_of("", 1)) + this->text(beats_of("N", 1)), "");
}

// Early beats, and the pauses after them, are no sinus rhythm: they neither count nor end it.
TYPED_TEST(Rates, OtherBeatsAreSetAside) {
  ListedForTest beats = beats_of(std::string(31, 'N'), 1.3);
  beats.add('V', 0.6);
  beats.add('N', 2.0);
  beats.add(std::string(30, 'N'), 1.3);
  const auto found = this->found(beats);
  EXPECT_EQ(labelled(found, beats), "SBR 0-62");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].confidence, 60.0 / 62);
}

TYPED_TEST(Rates, AGapOfMoreThanTenSecondsEndsARhythm) {
  ListedForTest beats = beats_of(std::string(31, 'N'), 1.3);
  beats.add('N', 10.01);
  beats.add(std::string(30, 'N'), 1.3);
  EXPECT_EQ(this->text(beats), "SBR 0-30, SBR 31-61");
}

TYPED_TEST(Rates, PoorSignalDoesNotCount) {
  ListedForTest beats = beats_of(std::string(101, 'N'), 1.3);
  beats.quality.assign(101, Quality::noisy);
  EXPECT_EQ(this->text(beats), "");
}

}  // namespace
}  // namespace beatscan
