// Tests how beats are judged in one lead, and how the judgements of several leads become one.
#include "kernels/detect/judge_beats.h"

#include <tuple>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using FlagsOfBeats = std::vector<std::uint8_t>;

// A judgement on the host.
struct Judged {
  std::vector<Outcome> outcomes;
  std::vector<Quality> quality;
  FlagsOfBeats trusted, broken;
  bool operator==(const Judged&) const = default;
};

// Returns a judgement with outcomes and flags drawn at random.
Judged random_judgement(std::int64_t beats, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Judged judged;
  for (std::int64_t i = 0; i < beats; ++i) {
    const bool kept = random() % 3 != 0;
    judged.outcomes.push_back(kept ? Outcome::kept : Outcome::in_gap);
    judged.quality.push_back(static_cast<Quality>(random() % 5));
    judged.trusted.push_back(kept && random() % 2);
    if (i > 0) judged.broken.push_back(random() % 2);
  }
  return judged;
}

// Joins two judgements by their definition.
Judged expected_join(const Judged& a, const Judged& b) {
  const auto rank = [](Quality quality) {  // from the best to the worst
    return quality == Quality::good      ? 0
           : quality == Quality::noisy   ? 1
           : quality == Quality::clipped ? 2
           : quality == Quality::flat    ? 3
                                         : 4;
  };
  Judged all = a;
  for (std::size_t i = 0; i < all.outcomes.size(); ++i) {
    all.outcomes[i] =
        a.outcomes[i] == Outcome::kept || b.outcomes[i] == Outcome::kept ? Outcome::kept : Outcome::in_gap;
    const int gap_a = a.outcomes[i] == Outcome::kept ? 0 : 10, gap_b = b.outcomes[i] == Outcome::kept ? 0 : 10;
    all.quality[i] = gap_b + rank(b.quality[i]) < gap_a + rank(a.quality[i]) ? b.quality[i] : a.quality[i];
    all.trusted[i] = a.trusted[i] || b.trusted[i];
  }
  for (std::size_t i = 0; i < all.broken.size(); ++i) all.broken[i] = a.broken[i] || b.broken[i];
  return all;
}

template <class Context>
class BeatJudgements : public OnBackend<Context> {
 protected:
  struct Buffers {
    Buffer<Outcome, Context> outcomes;
    Buffer<Quality, Context> quality;
    Buffer<std::uint8_t, Context> trusted, broken;
    BeatJudgement view() { return {outcomes, quality, trusted, broken}; }
  };
  Buffers from_host_all(const Judged& judged) {
    auto& context = this->context();
    return {from_host(context, judged.outcomes), from_host(context, judged.quality), from_host(context, judged.trusted),
            from_host(context, judged.broken)};
  }
  Judged to_host_all(const Buffers& buffers) {
    auto& context = this->context();
    return {to_host(context, buffers.outcomes), to_host(context, buffers.quality), to_host(context, buffers.trusted),
            to_host(context, buffers.broken)};
  }
  // Joins `lead` into `all`.
  Judged join(const Judged& lead, const Judged& all) {
    auto one = from_host_all(lead), joined = from_host_all(all);
    join_judgements(this->context(), one.view(), joined.view());
    EXPECT_EQ(to_host_all(one), lead) << "it is only read";
    return to_host_all(joined);
  }

  struct Around {
    std::vector<std::int64_t> gap_firsts = {}, gap_lasts = {}, flat_firsts = {}, flat_lasts = {};
    std::vector<Quality> blocks = {};
    std::int64_t block_samples = 50;
    QualitySet trusted = only(Quality::good);
  };
  // Judges beats whose rows reach from 10 samples before the R peak to 20 after it. Every item is overwritten.
  Judged judge(const std::vector<double>& r_peaks, const Around& around) {
    const auto count = r_peaks.size();
    return judge(r_peaks, around,
                 {std::vector<Outcome>(count, Outcome::last), std::vector<Quality>(count, Quality::clipped),
                  FlagsOfBeats(count, 9), FlagsOfBeats(count > 0 ? count - 1 : 0, 9)});
  }
  Judged judge(const std::vector<double>& r_peaks, const Around& around, const Judged& before) {
    auto& context = this->context();
    auto judged = from_host_all(before);
    const auto gap_firsts = from_host(context, around.gap_firsts), gap_lasts = from_host(context, around.gap_lasts),
               flat_firsts = from_host(context, around.flat_firsts), flat_lasts = from_host(context, around.flat_lasts);
    const auto blocks = from_host(context, around.blocks);
    judge_beats(
        context, from_host(context, r_peaks),
        {{gap_firsts, gap_lasts}, {flat_firsts, flat_lasts}, blocks, around.block_samples, 10, 20, around.trusted},
        judged.view());
    return to_host_all(judged);
  }
};
TYPED_TEST_SUITE(BeatJudgements, Backends, BackendNames);

TYPED_TEST(BeatJudgements, OfOneLeadByHand) {
  // The first gap ends one sample before the second beat's row. The last block of quality is open.
  const auto judged = this->judge({20, 100, 160.5, 230, 300},
                                  {.gap_firsts = {60, 180},
                                   .gap_lasts = {89, 185},
                                   .flat_firsts = {240},
                                   .flat_lasts = {280},
                                   .blocks = {Quality::good, Quality::flat, Quality::noisy, Quality::good}});
  EXPECT_EQ(judged.outcomes,
            (std::vector<Outcome>{Outcome::kept, Outcome::kept, Outcome::in_gap, Outcome::kept, Outcome::kept}));
  EXPECT_EQ(judged.quality,
            (std::vector<Quality>{Quality::good, Quality::noisy, Quality::good, Quality::good, Quality::good}));
  EXPECT_EQ(judged.trusted, (FlagsOfBeats{1, 0, 0, 1, 1}));
  EXPECT_EQ(judged.broken, (FlagsOfBeats{1, 0, 1, 1}));
}

TYPED_TEST(BeatJudgements, TrustIsInASetOfQualities) {
  const std::vector<Quality> blocks = {Quality::good, Quality::flat, Quality::clipped, Quality::noisy,
                                       Quality::missing};
  const std::vector<double> r_peaks = {25, 75, 125, 175, 225};
  const auto trusted = [&](QualitySet set) { return this->judge(r_peaks, {.blocks = blocks, .trusted = set}).trusted; };
  EXPECT_EQ(trusted(0), (FlagsOfBeats{0, 0, 0, 0, 0}));
  EXPECT_EQ(trusted(only(Quality::good)), (FlagsOfBeats{1, 0, 0, 0, 0}));
  EXPECT_EQ(trusted(only(Quality::clipped) | only(Quality::noisy)), (FlagsOfBeats{0, 0, 1, 1, 0}));
  EXPECT_EQ(this->judge(r_peaks, {}).trusted, FlagsOfBeats(5, 1)) << "all is good where no quality is known";
}

TYPED_TEST(BeatJudgements, JoinedByHand) {
  const Judged first{{Outcome::kept, Outcome::kept, Outcome::in_gap, Outcome::in_gap},
                     {Quality::good, Quality::noisy, Quality::missing, Quality::flat},
                     {1, 0, 0, 0},
                     {0, 1, 1}};
  const Judged second{{Outcome::kept, Outcome::in_gap, Outcome::kept, Outcome::in_gap},
                      {Quality::flat, Quality::clipped, Quality::good, Quality::missing},
                      {0, 0, 1, 0},
                      {1, 0, 1}};
  const Judged joined{{Outcome::kept, Outcome::kept, Outcome::kept, Outcome::in_gap},
                      {Quality::good, Quality::noisy, Quality::good, Quality::flat},
                      {1, 0, 1, 0},
                      {1, 1, 1}};
  EXPECT_EQ(this->join(first, second), joined);
  EXPECT_EQ(this->join(second, first), joined) << "the order of leads does not matter";
  EXPECT_EQ(this->join(first, first), first);
  EXPECT_EQ(this->join(first, joined), joined) << "a lead that is in it already";
}

TYPED_TEST(BeatJudgements, TheBetterQualityIsTakenOfEachTwo) {
  // From the best to the worst: noise still shows beats, clipped signal shows where they are, flat signal shows
  // nothing.
  const std::vector<Quality> order = {Quality::good, Quality::noisy, Quality::clipped, Quality::flat, Quality::missing};
  for (std::size_t a = 0; a < order.size(); ++a) {
    EXPECT_EQ(poorness(order[a]), static_cast<int>(a));
    for (std::size_t b = 0; b < order.size(); ++b) {
      const auto of = [&](std::size_t i) { return Judged{{Outcome::kept}, {order[i]}, {1}, {}}; };
      EXPECT_EQ(this->join(of(a), of(b)).quality.front(), order[std::min(a, b)]) << a << ", " << b;
    }
  }
}

TYPED_TEST(BeatJudgements, NoneAndOne) {
  EXPECT_EQ(this->judge({}, {}), Judged());
  EXPECT_EQ(this->join({}, {}), Judged());
  const Judged in_gap{{Outcome::in_gap}, {Quality::good}, {0}, {}}, kept{{Outcome::kept}, {Quality::noisy}, {1}, {}};
  EXPECT_EQ(this->join(in_gap, kept), kept) << "good signal next to a gap does not show the beat";
  EXPECT_EQ(this->join(kept, in_gap), kept);
}

// A Cuda block takes 256 beats, a CPU thread 16,384.
TYPED_TEST(BeatJudgements, JoinMatchesItsDefinition) {
  for (const std::int64_t block : {256, 16'384})
    for (const std::int64_t beats : sizes_around(block)) {
      SCOPED_TRACE(shape_and_seed("beats", beats, beats));
      const Judged a = random_judgement(beats, beats), b = random_judgement(beats, beats + 1);
      EXPECT_TRUE(this->join(a, b) == expected_join(a, b));
    }
}

// Block 1 is noisy, block 3 is flat, and samples 350 to 360 are missing.
TYPED_TEST(BeatJudgements, AnIntervalIsClearInSignalThatIsGoodOrFlatAllAlong) {
  auto& context = this->context();
  const std::vector<double> r_peaks{10, 90, 110, 210, 310, 390};
  const auto peaks = from_host(context, r_peaks);
  const auto blocks =
      from_host(context, std::vector<Quality>{Quality::good, Quality::noisy, Quality::good, Quality::flat});
  const auto first = from_host(context, std::vector<std::int64_t>{350}),
             last = from_host(context, std::vector<std::int64_t>{360});
  const std::int64_t beats = 6;
  Buffer<Outcome, TypeParam> outcomes(context, beats);
  Buffer<Quality, TypeParam> quality(context, beats);
  Buffer<std::uint8_t, TypeParam> trusted(context, beats), broken(context, beats - 1), clear(context, beats - 1);
  judge_beats(context, peaks, {{first, last}, {}, blocks, 100, 5, 5}, {outcomes, quality, trusted, broken, clear});
  EXPECT_EQ(to_host(context, broken), (FlagsOfBeats{0, 0, 0, 0, 1}));
  EXPECT_EQ(to_host(context, clear), (FlagsOfBeats{1, 0, 0, 1, 0}));
  auto all_broken = from_host(context, FlagsOfBeats{1, 1, 0, 0, 1});
  settle_intervals(context, clear, all_broken);
  EXPECT_EQ(to_host(context, all_broken), (FlagsOfBeats{0, 1, 0, 0, 1}));
  EXPECT_THROW_KIND(settle_intervals(context, trusted, all_broken), ErrorKind::internal);
}

TYPED_TEST(BeatJudgements, ALeadCountsWhereItIsAsGoodAsTheBest) {
  auto& context = this->context();
  const auto heard = [&](const std::vector<Outcome>& outcomes, const std::vector<Quality>& own,
                         const std::vector<Quality>& best, std::size_t size) {
    Buffer<std::uint8_t, TypeParam> flags(context, static_cast<std::int64_t>(size));
    heard_beats(context, from_host(context, outcomes), from_host(context, own), from_host(context, best), flags);
    return to_host(context, flags);
  };
  const std::vector<Outcome> outcomes{Outcome::kept, Outcome::kept, Outcome::in_gap, Outcome::kept};
  const std::vector<Quality> own{Quality::good, Quality::noisy, Quality::good, Quality::clipped},
      best{Quality::good, Quality::good, Quality::good, Quality::clipped};
  EXPECT_EQ(heard(outcomes, own, best, 4), (FlagsOfBeats{1, 0, 0, 1}));
  EXPECT_TRUE(heard({}, {}, {}, 0).empty());
  EXPECT_THROW_KIND(heard(outcomes, own, best, 3), ErrorKind::internal);
  EXPECT_THROW_KIND(heard(outcomes, own, {Quality::good}, 4), ErrorKind::internal);
}

TYPED_TEST(BeatJudgements, BadShapesThrow) {
  const Judged three = random_judgement(3, 1), two = random_judgement(2, 1);
  EXPECT_THROW_KIND(this->join(two, three), ErrorKind::internal);
  EXPECT_THROW_KIND(this->join(three, two), ErrorKind::internal);
  EXPECT_THROW_KIND(this->join({}, three), ErrorKind::internal) << "a lead that does not count has no items";
  const auto cut = [&](auto change) {
    Judged less = three;
    change(less);
    return less;
  };
  for (const Judged& bad : {cut([](Judged& j) { j.outcomes.pop_back(); }), cut([](Judged& j) { j.quality.pop_back(); }),
                            cut([](Judged& j) { j.trusted.pop_back(); }), cut([](Judged& j) { j.broken.pop_back(); }),
                            cut([](Judged& j) { j.broken.push_back(0); })}) {
    EXPECT_THROW_KIND(this->join(bad, three), ErrorKind::internal);
    EXPECT_THROW_KIND(this->join(three, bad), ErrorKind::internal);
    EXPECT_THROW_KIND(this->judge({1, 2, 3}, {}, bad), ErrorKind::internal);
  }
  EXPECT_THROW_KIND(this->judge({1}, {.gap_firsts = {1}}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->judge({1}, {.flat_lasts = {1}}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->judge({1}, {.block_samples = 0}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
