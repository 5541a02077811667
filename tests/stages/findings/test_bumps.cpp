#include "stages/findings/bumps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "stages/findings/beat_class.h"
#include "stages/findings/finding_options.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

constexpr double kUsualInterval = 200;  // samples between two N beats
constexpr BumpOptions kBumpOptions{.least_odd = 1, .least_noise = 1.5};

// Beats at multiples of the usual interval, all of them rows.
struct BeatsInTime {
  std::vector<double> r_peaks;
  std::vector<std::uint8_t> broken;
  std::vector<Kind> kinds;
  std::vector<std::int64_t> kept;
  std::vector<float> noise, odd;

  void add(double at, Kind kind, float its_odd = 2, float its_noise = 2) {
    if (!r_peaks.empty()) broken.push_back(0);
    kept.push_back(std::ssize(r_peaks));
    r_peaks.push_back(at * kUsualInterval);
    kinds.push_back(kind);
    odd.push_back(its_odd);
    noise.push_back(its_noise);
  }

  // Adds N beats at first, first + 1 ... last.
  void add_usual(int first, int last, float its_odd = 2, float its_noise = 2) {
    for (int at = first; at <= last; ++at) add(at, Kind::normal, its_odd, its_noise);
  }

  // Adds a beat that is no row.
  void add_without_row(double at) {
    add(at, Kind::unknown);
    kept.pop_back();
    odd.pop_back();
    noise.pop_back();
  }

  // Returns the V beats that become Q.
  std::vector<std::int64_t> bumps(const BumpOptions& options = kBumpOptions) const {
    auto told = kinds;
    tell_bumps({r_peaks, broken, kept, noise, odd}, options, told);
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < std::ssize(told); ++i)
      if (told[i] != kinds[i]) places.push_back(i);
    return places;
  }
  std::vector<std::int64_t> bent() const {
    auto told = kinds;
    const auto marks = tell_bumps({r_peaks, broken, kept, noise, odd}, kBumpOptions, told);
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < std::ssize(marks); ++i)
      if (marks[i]) places.push_back(i);
    return places;
  }
};

using Expected = std::vector<std::int64_t>;

// Ten N beats, others, and ten N beats from `on` on.
BeatsInTime beats_between(const std::vector<double>& others, int on, float odd = 2, float noise = 2) {
  BeatsInTime beats;
  beats.add_usual(0, 9, odd, noise);
  for (const double at : others) beats.add(at, Kind::ventricular, 5, noise);
  beats.add_usual(on, on + 9, odd, noise);
  return beats;
}

TEST(Bumps, LieBetweenUsualBeatsThatComeInTime) {
  EXPECT_EQ(beats_between({9.4}, 10).bumps(), Expected{10});
  EXPECT_EQ(beats_between({9.3, 9.7}, 10).bumps(), (Expected{10, 11})) << "two in one interval";
  EXPECT_EQ(beats_between({9.3, 10.05, 10.5}, 11).bumps(), (Expected{10, 11, 12})) << "and one on a usual beat";
  EXPECT_EQ(beats_between({10}, 11).bumps(), Expected{10}) << "one on a usual beat alone";
}

TEST(Bumps, VentricularBeatsInterruptTheRhythm) {
  EXPECT_EQ(beats_between({9.6}, 11).bumps(), Expected{}) << "a pause follows";
  EXPECT_EQ(beats_between({9.6}, 11).bumps({.in_time = 0.45}), Expected{10});
  EXPECT_EQ(beats_between({9.6, 10.1, 10.6}, 12).bumps(), Expected{}) << "no beat at the second usual time";
}

// Moves the beats from beat i on by so many usual intervals.
BeatsInTime moved(BeatsInTime beats, std::size_t i, double by) {
  for (; i < beats.r_peaks.size(); ++i) beats.r_peaks[i] += by * kUsualInterval;
  return beats;
}

TEST(Bumps, TheTimeIsAWholeNumberOfUsualIntervals) {
  EXPECT_EQ(moved(beats_between({9.5}, 10), 11, 0.3).bumps(), Expected{}) << "the rhythm begins anew";
  EXPECT_EQ(moved(beats_between({9.5}, 10), 11, 0.1).bumps(), Expected{10});
  const auto many = beats_between({10, 11, 12, 13}, 14);  // five intervals may be 0.25 longer in all
  EXPECT_EQ(moved(many, 14, 0.11).bumps(), (Expected{10, 11, 12, 13}));
  EXPECT_EQ(moved(moved(moved(many, 12, 0.1), 13, 0.08), 14, 0.06).bumps(), (Expected{10, 11, 12, 13})) << "0.24";
  EXPECT_EQ(moved(moved(moved(many, 12, 0.1), 13, 0.1), 14, 0.08).bumps(), Expected{}) << "0.28";
}

// These interrupt nothing, and cannot be told from bumps.
TEST(Bumps, SomeVentricularBeatsLookTheSame) {
  EXPECT_EQ(beats_between({9.9}, 11).bumps(), Expected{10}) << "a late one";
  EXPECT_EQ(beats_between({10, 10.95, 11.9}, 13).bumps(), (Expected{10, 11, 12})) << "as fast as the usual rhythm";
}

TEST(Bumps, ThreeThatComeEvenlyAndFastStay) {
  EXPECT_EQ(beats_between({9.5, 10.05, 10.6}, 11).bumps(), Expected{});
  EXPECT_EQ(beats_between({9.5, 10.05, 10.6}, 11).bent(), (Expected{10, 11, 12}));
  EXPECT_EQ(beats_between({9.3, 10.05, 10.5}, 11).bumps(), (Expected{10, 11, 12})) << "not evenly";
  EXPECT_EQ(beats_between({9.2, 10, 10.8}, 11).bumps(), (Expected{10, 11, 12})) << "not fast";
}

TEST(Bumps, ABeatThatIsNoRowMayBeAUsualOne) {
  BeatsInTime beats;
  beats.add_usual(0, 9);
  beats.add_without_row(10);
  beats.add(10.6, Kind::ventricular);
  beats.add_usual(11, 19);
  EXPECT_EQ(beats.bumps(), Expected{11});
}

TEST(Bumps, TheLineIsBentAround) {
  EXPECT_EQ(beats_between({9.4}, 10, 0.9F, 2).bumps(), Expected{}) << "the usual beats are as usual";
  EXPECT_EQ(beats_between({9.4}, 10, 2, 1.4F).bumps(), Expected{}) << "without noise";
  BeatsInTime once = beats_between({9.4}, 10, 0, 1);
  for (const int i : {8, 9, 11, 12}) once.odd[i] = once.noise[i] = 2;
  EXPECT_EQ(once.bumps(), Expected{});
  EXPECT_EQ(once.bumps({.beats = 2, .least_odd = 1, .least_noise = 1.5}), Expected{10});
  BeatsInTime high = beats_between({9.4}, 10);
  std::ranges::fill(high.odd, 9.0F);
  EXPECT_EQ(high.bumps(), Expected{}) << "they may be V beats";
  BeatsInTime unknown = beats_between({9.4}, 10);
  std::ranges::fill(unknown.odd, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(unknown.bumps(), Expected{});
}

TEST(Bumps, AnIntervalThatIsNotKnownTellsNothing) {
  BeatsInTime beats = beats_between({9.4}, 10);
  beats.broken[10] = 1;
  EXPECT_EQ(beats.bumps(), Expected{});
  EXPECT_EQ(beats_between({10, 11, 12}, 13).bumps({.most_apart = 3}), Expected{}) << "four intervals";
  EXPECT_EQ(beats_between({10, 11, 12}, 13).bumps({.most_apart = 4}), (Expected{10, 11, 12}));
}

TEST(Bumps, AtTheEndsNothingIsKnown) {
  BeatsInTime beats;
  beats.add(0, Kind::ventricular);
  beats.add_usual(1, 9);
  beats.add(10, Kind::ventricular);
  EXPECT_EQ(beats.bumps(), Expected{});
  EXPECT_EQ(BeatsInTime().bumps(), Expected{});
}

TEST(Bumps, OthersNearbyAreBumpsToo) {
  BeatsInTime beats = beats_between({9.4}, 10);  // to 19
  beats.add(19.4, Kind::ventricular);
  beats.add_usual(20, 23);
  beats.add(23.6, Kind::ventricular);  // with a pause
  beats.add_usual(25, 30);
  const BumpOptions options{.least_odd = 1, .least_noise = 1.5, .reach = 15};
  EXPECT_EQ(beats.bumps(options), (Expected{10, 21, 26}));
  auto nearer = options;
  nearer.reach = 10;
  EXPECT_EQ(beats.bumps(nearer), (Expected{10, 21})) << "one is near";
  auto more = options;
  more.least_beats = 3;
  EXPECT_EQ(beats.bumps(more), (Expected{10, 21}));
  BeatsInTime calm = beats;
  for (int at = 31; at < 40; ++at) calm.add_usual(at, at, 0, 1);
  for (const double at : {39.5, 40.5, 41.5, 42.5, 43.5}) calm.add(at, Kind::ventricular, 5, 1);
  EXPECT_EQ(calm.bumps(options), (Expected{10, 21, 26})) << "V beats without movement are far";
  auto mostly = options;
  mostly.least_share = 0.7;
  EXPECT_EQ(beats.bumps(mostly), (Expected{10, 21})) << "two of three";
}

TEST(Bumps, VBeatsWhereTheLineIsBentAreTold) {
  EXPECT_EQ(beats_between({9.6}, 11).bent(), Expected{10}) << "no bump";
  EXPECT_EQ(beats_between({9.4}, 10).bent(), Expected{10}) << "a bump";
  EXPECT_EQ(beats_between({9.6}, 11, 0.9F, 2).bent(), Expected{});
  BeatsInTime at_ends;
  at_ends.add(0, Kind::ventricular);
  at_ends.add_usual(1, 9);
  at_ends.add(9.5, Kind::ventricular);
  EXPECT_EQ(at_ends.bent(), (Expected{0, 10}));
}

TEST(Bumps, TheUsualIntervalIsThatOfBeatsNearby) {
  BeatsInTime beats;
  beats.add_usual(0, 9);
  for (int at = 10; at < 200; at += 2) {
    beats.add(at, Kind::normal);
    beats.add(at + 1, Kind::ventricular, 5);
  }
  const auto bent = beats.bent();
  EXPECT_EQ(bent.front(), 11);
  EXPECT_EQ(bent.back(), 71) << "60 intervals behind the last two N in a row";
}

TEST(Bumps, OtherKindsStay) {
  BeatsInTime beats = beats_between({9.3, 9.7}, 10);
  beats.kinds[10] = Kind::supraventricular;
  EXPECT_EQ(beats.bumps(), Expected{11});
  beats.kinds[11] = Kind::unknown;
  EXPECT_EQ(beats.bumps(), Expected{});
}

TEST(Bumps, SizesMustAgree) {
  BeatsInTime beats = beats_between({9.4}, 10);
  beats.odd.pop_back();
  expect_error(ErrorKind::internal, "tell_bumps: bad shape", [&] { beats.bumps(); });
}

}  // namespace
}  // namespace beatscan
