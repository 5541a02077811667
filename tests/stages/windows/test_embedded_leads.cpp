// Tests how the beats of several leads become rows: which leads are cut, and where each has signal. The rows of one
// lead are tested in test_centred_beats.cpp.
#include <algorithm>
#include <cmath>

#include "app/synthetic/generate.h"
#include "kernels/runtime/error.h"
#include "stages/io/recording/recording.h"
#include "stages/windows/embedded_beats.h"
#include "stages/windows/row_options.h"
#include "tests/support/backends.h"
#include "tests/support/beat_lists.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Signal = std::vector<float>;
using BeatFlags = std::vector<std::uint8_t>;

constexpr double kLeadsRate = 250;
constexpr std::int64_t kLeadsSamples = 45'000, kPoints = 256;  // three minutes

// The beats as one lead has them.
struct InLead {
  std::vector<Outcome> outcomes;
  BeatFlags trusted, broken;
};

// One lead's part of the result on the host.
struct CutLead {
  std::int64_t lead;
  Signal rows, noise, median;
  BeatFlags present;
  std::vector<std::int32_t> usual;
  std::vector<std::int64_t> reference_rows;
  double amplitude;
};
struct CutLeads {
  Signal rows;
  std::int64_t count;
  std::vector<std::int64_t> kept;
  std::vector<std::int32_t> trainable;
  std::vector<CutLead> leads;
};

template <class Context>
class RowsOfLeads : public OnBackend<Context> {
 protected:
  RowsOfLeads() {
    const SyntheticEcg ecg(kLeadsSamples, kLeadsRate, 0.08, 5);
    first.resize(kLeadsSamples);
    ecg.render(0, first);
    for (const auto& beat : ecg.beats()) {
      if (beat.r_peak_s * kLeadsRate >= kLeadsSamples) continue;
      r_peaks.push_back(beat.r_peak_s * kLeadsRate);
      is_pvc.push_back(beat.is_pvc);
    }
    second.assign(kLeadsSamples, 0.2f);
    for (std::int64_t i = 3; i < kLeadsSamples; ++i)
      second[i] = 0.2f - 0.6f * first[i - 3] + 0.02f * static_cast<float>(std::sin(0.7 * static_cast<double>(i)));
  }

  // Returns beats that are all kept and trusted, with known intervals.
  InLead all_there() const {
    return {std::vector<Outcome>(r_peaks.size(), Outcome::kept), BeatFlags(r_peaks.size(), 1),
            BeatFlags(r_peaks.size() - 1, 0)};
  }
  // Returns the same without signal at the beats first .. last.
  InLead away_at(std::size_t first_beat, std::size_t last_beat) const {
    InLead lead = all_there();
    for (std::size_t i = first_beat; i <= last_beat; ++i) {
      lead.outcomes[i] = Outcome::in_gap;
      lead.trusted[i] = 0;
      lead.broken[i] = lead.broken[i - 1] = 1;
    }
    return lead;
  }
  static InLead does_not_count() { return {}; }

  // Joins the leads' beats by the definition. A lead without any does not count.
  BeatList joined(const std::vector<InLead>& leads) const {
    BeatList all{r_peaks, std::vector<Quality>(r_peaks.size(), Quality::good),
                 std::vector<Outcome>(r_peaks.size(), Outcome::in_gap), BeatFlags(r_peaks.size(), 0),
                 BeatFlags(r_peaks.size() - 1, 1)};
    for (const auto& lead : leads) {
      for (std::size_t i = 0; i < lead.outcomes.size(); ++i) {
        if (lead.outcomes[i] == Outcome::kept) all.outcomes[i] = Outcome::kept;
        all.trusted[i] |= lead.trusted[i];
      }
      for (std::size_t i = 0; i < lead.broken.size(); ++i) all.broken[i] &= lead.broken[i];
    }
    return all;
  }

  CutLeads cut(const std::vector<Signal>& signals, const std::vector<InLead>& leads) {
    auto& context = this->context();
    auto beats = from_host(context, joined(leads));
    Recording<Context> recording;
    for (std::size_t l = 0; l < signals.size(); ++l) {
      recording.leads.push_back({.name = std::to_string(l), .samples = from_host(context, signals[l])});
      beats.leads.push_back({from_host(context, std::vector<Quality>(leads[l].outcomes.size(), Quality::good)),
                             from_host(context, leads[l].outcomes), from_host(context, leads[l].trusted),
                             from_host(context, leads[l].broken)});
    }
    if (signals.size() == 1) beats.leads.clear();
    const auto embedded = embed_leads(context, recording, beats, {}, kLeadsRate);
    CutLeads result{to_host(context, embedded.rows.values),
                    embedded.rows.count,
                    to_host(context, embedded.rows.kept),
                    to_host(context, embedded.rows.trainable),
                    {}};
    for (const auto& lead : embedded.leads) {
      const auto& reference = lead.beats.reference;
      result.leads.push_back({lead.lead, to_host(context, lead.beats.rows), to_host(context, lead.noise),
                              reference.median, to_host(context, lead.present), to_host(context, lead.beats.usual),
                              to_host(context, reference.rows), reference.amplitude});
    }
    expect_whole(result);
    return result;
  }

  // Expects what holds for any result: rows of all leads one after the other, and trainable rows that are the dominant
  // ones, moved by B for each lead.
  void expect_whole(const CutLeads& result) {
    const auto beats = std::ssize(result.kept);
    EXPECT_EQ(result.count, std::ssize(result.leads) * beats);
    Signal rows;
    std::vector<std::int32_t> trainable;
    for (std::size_t l = 0; l < result.leads.size(); ++l) {
      const auto& lead = result.leads[l];
      EXPECT_EQ(std::ssize(lead.rows), beats * kPoints);
      EXPECT_EQ(std::ssize(lead.noise), beats);
      rows.insert(rows.end(), lead.rows.begin(), lead.rows.end());
      for (const std::int32_t row : lead.usual) trainable.push_back(row + static_cast<std::int32_t>(l * beats));
    }
    EXPECT_EQ(result.rows, rows);
    EXPECT_EQ(result.trainable, trainable);
  }
  static void expect_same(const CutLead& a, const CutLead& b) {
    EXPECT_EQ(bits_of(a.rows), bits_of(b.rows));
    EXPECT_EQ(bits_of(a.noise), bits_of(b.noise));
    EXPECT_EQ(a.usual, b.usual);
    EXPECT_EQ(a.median, b.median);
    EXPECT_EQ(a.amplitude, b.amplitude);
  }
  static Signal times(const Signal& signal, float factor) {
    Signal scaled = signal;
    for (float& value : scaled) value *= factor;
    return scaled;
  }

  Signal first, second;  // in mV
  std::vector<double> r_peaks;
  BeatFlags is_pvc;
};
TYPED_TEST_SUITE(RowsOfLeads, Backends, BackendNames);

TYPED_TEST(RowsOfLeads, EachLeadIsCutAsItIsAlone) {
  const auto found = this->cut({this->first, this->second}, {this->all_there(), this->all_there()});
  ASSERT_EQ(found.leads.size(), 2u);
  EXPECT_EQ(found.kept.size(), this->r_peaks.size());
  EXPECT_EQ(found.leads[0].lead, 0);
  EXPECT_EQ(found.leads[1].lead, 1);
  this->expect_same(found.leads[0], this->cut({this->first}, {this->all_there()}).leads[0]);
  this->expect_same(found.leads[1], this->cut({this->second}, {this->all_there()}).leads[0]);
  for (const auto& lead : found.leads) EXPECT_EQ(lead.present, BeatFlags(this->r_peaks.size(), 1));
  EXPECT_NEAR(found.leads[1].amplitude / found.leads[0].amplitude, 0.6, 0.02);
}

TYPED_TEST(RowsOfLeads, ALeadThatDoesNotCountIsNotCut) {
  const auto alone = this->cut({this->second}, {this->all_there()}).leads[0];
  const auto later = this->cut({this->first, this->second}, {this->does_not_count(), this->all_there()});
  ASSERT_EQ(later.leads.size(), 1u);
  EXPECT_EQ(later.leads[0].lead, 1) << "its number in the recording";
  this->expect_same(later.leads[0], alone);
  const auto outer = this->cut({this->second, this->first, this->second},
                               {this->all_there(), this->does_not_count(), this->all_there()});
  ASSERT_EQ(outer.leads.size(), 2u);
  EXPECT_EQ(outer.leads[0].lead, 0);
  EXPECT_EQ(outer.leads[1].lead, 2);
  this->expect_same(outer.leads[0], outer.leads[1]);
}

TYPED_TEST(RowsOfLeads, ALeadThatIsMissingForAWhile) {
  auto second = this->second;
  const auto from = static_cast<std::int64_t>(this->r_peaks[50]) - 60,
             to = static_cast<std::int64_t>(this->r_peaks[60]) + 100;
  for (std::int64_t i = from; i < to; ++i) second[i] = 0.2f;  // a bridge
  const auto found = this->cut({this->first, second}, {this->all_there(), this->away_at(50, 60)});
  ASSERT_EQ(found.leads.size(), 2u);
  EXPECT_EQ(found.kept.size(), this->r_peaks.size()) << "the other lead has them";
  this->expect_same(found.leads[0], this->cut({this->first}, {this->all_there()}).leads[0]);
  EXPECT_EQ(found.leads[0].present, BeatFlags(this->r_peaks.size(), 1));
  const auto& lead = found.leads[1];
  for (std::size_t i = 0; i < this->r_peaks.size(); ++i) EXPECT_EQ(lead.present[i], i < 50 || i > 60) << i;
  const auto absent = [](std::int64_t row) { return row >= 50 && row <= 60; };
  EXPECT_TRUE(std::ranges::none_of(lead.usual, absent)) << "nothing is learned from a bridge";
  EXPECT_TRUE(std::ranges::none_of(lead.reference_rows, absent));
  EXPECT_GT(lead.usual.size(), 100u);
  const auto whole = this->cut({this->second}, {this->all_there()}).leads[0];
  EXPECT_NEAR(lead.amplitude, whole.amplitude, 0.01 * whole.amplitude);
}

TYPED_TEST(RowsOfLeads, BeatsThatNoLeadHasAreNoRows) {
  const auto found = this->cut({this->first, this->second}, {this->away_at(20, 30), this->away_at(25, 40)});
  const auto beats = this->r_peaks.size();
  std::vector<std::int64_t> kept;
  BeatFlags in_first, in_second;
  for (std::size_t i = 0; i < beats; ++i) {
    if (i >= 25 && i <= 30) continue;
    kept.push_back(static_cast<std::int64_t>(i));
    in_first.push_back(i < 20 || i > 30);
    in_second.push_back(i < 25 || i > 40);
  }
  EXPECT_EQ(found.kept, kept);
  ASSERT_EQ(found.leads.size(), 2u);
  EXPECT_EQ(found.leads[0].present, in_first);
  EXPECT_EQ(found.leads[1].present, in_second);
}

// float32 cannot hold the squares of such amplitudes.
TYPED_TEST(RowsOfLeads, ALeadOfAnAmplitudeThatCannotBeWorkedWithIsLeftOut) {
  const auto alone = this->cut({this->first}, {this->all_there()}).leads[0];
  const auto other = this->cut({this->second}, {this->all_there()}).leads[0];
  const InLead there = this->all_there();
  for (const float factor : {1e-32f, 1e32f, 0.0f}) {
    SCOPED_TRACE(factor);
    const Signal bad = this->times(this->second, factor);
    const auto after = this->cut({this->first, bad}, {there, there});
    ASSERT_EQ(after.leads.size(), 1u);
    EXPECT_EQ(after.leads[0].lead, 0);
    this->expect_same(after.leads[0], alone);
    const auto before = this->cut({bad, this->first}, {there, there});
    ASSERT_EQ(before.leads.size(), 1u);
    EXPECT_EQ(before.leads[0].lead, 1);
    this->expect_same(before.leads[0], alone);
    const auto between = this->cut({this->first, bad, this->second}, {there, there, there});
    ASSERT_EQ(between.leads.size(), 2u);
    EXPECT_EQ(between.leads[0].lead, 0);
    EXPECT_EQ(between.leads[1].lead, 2);
    this->expect_same(between.leads[0], alone);
    this->expect_same(between.leads[1], other);
  }
}

TYPED_TEST(RowsOfLeads, LeadsThatAllCannotBeReadAreRefused) {
  const InLead there = this->all_there();
  expect_error(ErrorKind::unanalysable, "amplitudes out of range", [&] {
    this->cut({this->times(this->first, 1e-32f), this->times(this->second, 1e32f)}, {there, there});
  });
  const Signal flat(kLeadsSamples, 0.0f);
  expect_error(ErrorKind::unanalysable, "no shape", [&] { this->cut({flat, flat}, {there, there}); });
  expect_error(ErrorKind::unanalysable, "amplitudes out of range", [&] {
    this->cut({this->times(this->first, 1e-32f), this->second}, {there, this->does_not_count()});
  });
}

// A lead is cut if it has two trusted beats. Beats that are trusted in one lead each show in no lead what is normal.
TYPED_TEST(RowsOfLeads, TwoTrustedBeatsAreNeededInOneLead) {
  const auto trusting = [&](const std::vector<std::size_t>& beats) {
    InLead lead = this->all_there();
    std::ranges::fill(lead.trusted, 0);
    for (const std::size_t beat : beats) lead.trusted[beat] = 1;
    return lead;
  };
  const auto of = [&](const InLead& one, const InLead& other) {
    return this->cut({this->first, this->second}, {one, other});
  };
  expect_error(ErrorKind::unanalysable, "no beats: two are needed", [&] { of(trusting({}), trusting({})); });
  expect_error(ErrorKind::unanalysable, "no beats: two are needed", [&] { of(trusting({10}), trusting({10})); });
  expect_error(ErrorKind::unanalysable, "no beats: two are needed", [&] { of(trusting({10}), trusting({20})); });
  const auto found = of(trusting({10}), trusting({20, 21}));
  ASSERT_EQ(found.leads.size(), 1u);
  EXPECT_EQ(found.leads[0].lead, 1);
  EXPECT_EQ(found.leads[0].usual, (std::vector<std::int32_t>{20, 21}));
}

// The regular beats of a recording may lie where a lead is not trusted. Then all its trusted beats show what is normal.
TYPED_TEST(RowsOfLeads, ALeadWhoseTrustedBeatsAreIrregularIsCutByThem) {
  InLead early = this->all_there();
  std::vector<std::int32_t> pvcs;
  for (std::size_t i = 0; i < this->r_peaks.size(); ++i) {
    early.trusted[i] = this->is_pvc[i];
    if (this->is_pvc[i]) pvcs.push_back(static_cast<std::int32_t>(i));
  }
  ASSERT_GE(pvcs.size(), 5u);
  const auto found = this->cut({this->first, this->second}, {this->all_there(), early});
  ASSERT_EQ(found.leads.size(), 2u);
  this->expect_same(found.leads[0], this->cut({this->first}, {this->all_there()}).leads[0]);
  EXPECT_FALSE(found.leads[1].usual.empty());
  EXPECT_TRUE(std::ranges::includes(pvcs, found.leads[1].usual));
}

}  // namespace
}  // namespace beatscan
