#include "stages/findings/bumps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

constexpr double kUsualInterval = 200;  // samples between two N beats

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

  std::vector<std::int64_t> bumps(const BumpOptions& options = {.least_odd = 1, .least_noise = 1.5}) const {
    return bumps_of({r_peaks, broken, kinds, kept, noise, odd}, options).beats;
  }
  std::vector<std::int64_t> bent(const BumpOptions& options = {.least_odd = 1, .least_noise = 1.5}) const {
    const auto marks = bumps_of({r_peaks, broken, kinds, kept, noise, odd}, options).bent;
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
  EXPECT_EQ(beats_between({9.4, 10.05, 10.6}, 11).bumps(), (Expected{10, 11, 12})) << "and one on a usual beat";
  EXPECT_EQ(beats_between({10}, 11).bumps(), Expected{10}) << "one on a usual beat alone";
}

TEST(Bumps, VentricularBeatsInterruptTheRhythm) {
  EXPECT_EQ(beats_between({9.6}, 11).bumps(), Expected{}) << "a pause follows";
  EXPECT_EQ(beats_between({9.6}, 11).bumps({.in_time = 0.45}), Expected{10});
  BeatsInTime reset = beats_between({9.6}, 11);
  for (std::size_t i = 11; i < reset.r_peaks.size(); ++i) reset.r_peaks[i] -= 0.3 * kUsualInterval;
  EXPECT_EQ(reset.bumps(), Expected{}) << "the rhythm begins anew";
  EXPECT_EQ(beats_between({9.6, 10.1, 10.6}, 12).bumps(), Expected{}) << "no beat at the second usual time";
}

TEST(Bumps, TheLineIsBentAround) {
  EXPECT_EQ(beats_between({9.4}, 10, 0.9F, 2).bumps(), Expected{}) << "the usual beats are as usual";
  EXPECT_EQ(beats_between({9.4}, 10, 2, 1.4F).bumps(), Expected{}) << "without noise";
  BeatsInTime once = beats_between({9.4}, 10, 0, 1);
  for (const int i : {8, 9, 11, 12}) once.odd[i] = once.noise[i] = 2;
  EXPECT_EQ(once.bumps(), Expected{});
  EXPECT_EQ(once.bumps({.beats = 2, .least_odd = 1, .least_noise = 1.5}), Expected{10});
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
  expect_error(ErrorKind::internal, "bumps_of: bad shape", [&] { beats.bumps(); });
}

}  // namespace
}  // namespace beatscan
