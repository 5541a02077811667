// Compares annotations beat by beat. The expected numbers are worked by hand from the definitions.
#include "app/evaluation/ec57/beat_by_beat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/app/evaluation/ec57/marks.h"

namespace beatscan::ec57 {
namespace {

BeatComparison compared(const Marks& reference, const Marks& test, const Period& period) {
  return compare_beats(marked_beats(reference, period.match_window), marked_beats(test, period.match_window), period);
}

// Returns the pairs that occur, such as "Nn 3".
std::string pairs_of(const BeatComparison& comparison) {
  std::string text;
  for (const char reference : kPairLabels)
    for (const char test : kPairLabels)
      if (const auto count = comparison.at(reference, test); count > 0)
        text += (text.empty() ? "" : ", ") + std::string{reference, static_cast<char>(test - 'A' + 'a'), ' '} +
                std::to_string(count);
  return text;
}

std::optional<double> figure(const Row& row, const std::string& key) {
  for (const Figure& its : row.figures)
    if (its.key == key) return its.value;
  ADD_FAILURE() << key;
  return std::nullopt;
}

//   reference              test          pair
//   29000 N                29000 N       within the first five minutes
//   30100 N                30105 N       Nn
//   30200 V                30200 V       Vv
//   30300 N                30300 V       Nv
//   30400 A                30400 N       Sn
//   30500 F                30500 V       Fv, which is no error
//   30600 N                              No
//                          30650 N       On
//   31000 [  to  31500 ]   31200 N       not counted
//   31600 N                31600 N       Nn
//   32000 ~  to  32500 ~   32200 V       Xv
//   32600 N                32600 N       Nn
//   32700 N                32650 ~ to 32750 ~   Nx
//   32800 /                32800 N       Qn
struct HandWorked {
  Marks reference =
      joined({beats(29000, 100, "N"),
              beats(30100, 100, "NVNAFN"),
              {beat(31000, '['), beat(31500, ']'), beat(31600, 'N'), shutdown_start(32000), shutdown_end(32500)},
              beats(32600, 100, "NN/")});
  Marks test = joined({beats(29000, 100, "N"),
                       {beat(30105, 'N')},
                       beats(30200, 100, "VVNV"),
                       {beat(30650, 'N'), beat(31200, 'N'), beat(31600, 'N'), beat(32200, 'V'), beat(32600, 'N'),
                        shutdown_start(32650), shutdown_end(32750), beat(32800, 'N')}});
  BeatComparison comparison = compared(reference, test, period_to(40000));
};

TEST(Ec57BeatByBeat, PairsByHand) {
  EXPECT_EQ(pairs_of(HandWorked().comparison), "Nn 3, Nv 1, No 1, Nx 1, Sn 1, Vv 1, Fv 1, Qn 1, On 1, Xv 1");
}

TEST(Ec57BeatByBeat, FiguresByHand) {
  const Row row = beat_row(HandWorked().comparison);
  EXPECT_EQ(figure(row, "qrs_sensitivity"), 8.0 / 10) << "8 pairs of beats; No, Nx";
  EXPECT_EQ(figure(row, "qrs_ppv"), 8.0 / 10) << "On, Xv";
  EXPECT_EQ(figure(row, "v_sensitivity"), 1);
  EXPECT_EQ(figure(row, "v_ppv"), 1.0 / 3) << "Nv and Xv are false, Fv is not";
  EXPECT_EQ(figure(row, "v_false_positive_rate"), 2.0 / 8) << "of Nn 3, Sn, Qn, On, Nv, Xv";
  EXPECT_EQ(figure(row, "s_sensitivity"), 0);
  EXPECT_EQ(figure(row, "s_ppv"), std::nullopt);
  EXPECT_EQ(figure(row, "s_false_positive_rate"), 0);
  // RR intervals, in samples: 1100 and 1105, 100 and 95, three times 100 and 100; at No 100 and 150. Those after [ and
  // after the start of shutdown do not count.
  EXPECT_EQ(HandWorked().comparison.rr_errors, 6);
  EXPECT_NEAR(*figure(row, "rr_error_ms"), 10 * std::sqrt((25 + 25 + 2500) / 6.0), 1e-9);
}

TEST(Ec57BeatByBeat, ColumnsOfLineFormat) {
  std::string text;
  for (const auto& [heading, value] : beat_row(HandWorked().comparison).counts)
    text += heading + " " + std::to_string(value) + " ";
  EXPECT_EQ(text,
            "Nn' 3 Sn' 1 Vn' 0 Fn' 1 On' 1 Ns 0 Ss 0 Vs 0 Fs' 0 Os' 0 Nv 1 Sv 0 Vv 1 Fv' 1 Ov' 1 No' 2 So' 0 Vo' 0 "
            "Fo' 0 ");
}

TEST(Ec57BeatByBeat, ShutdownByHand) {
  const Row row = shutdown_row(HandWorked().comparison);
  EXPECT_EQ(figure(row, "beats_missed"), 1.0 / 10);
  EXPECT_EQ(figure(row, "n_missed"), 1.0 / 6);
  EXPECT_EQ(figure(row, "v_missed"), 0);
  EXPECT_EQ(figure(row, "s_missed"), 0);
  EXPECT_EQ(figure(row, "duration_s"), 1);
}

TEST(Ec57BeatByBeat, LabelsOfSymbols) {
  std::string labels;
  for (const char symbol : std::string_view("NLRBAaJSejnVErF/fQ?|+[\"~")) labels += label_of(symbol).value_or('-');
  EXPECT_EQ(labels, "NNNNSSSSSSSVVVFQQQQ-----");
}

TEST(Ec57BeatByBeat, AtTheEndOfLearning) {
  const auto pairs = [](const Marks& reference, const Marks& test) {
    return pairs_of(compared(reference, test, period_to(40000)));
  };
  EXPECT_EQ(pairs({beat(30005, 'V')}, {beat(29995, 'V')}), "Vv 1") << "a test beat of the learning period may match";
  EXPECT_EQ(pairs({beat(29995, 'V'), beat(30100, 'N')}, {beat(30005, 'V'), beat(30100, 'N')}), "Nn 1")
      << "a test beat whose reference lies in the learning period does not count";
  EXPECT_EQ(pairs({beat(29900, 'V'), beat(30100, 'N')}, {beat(30016, 'V'), beat(30100, 'N')}), "Nn 1, Ov 1");
}

TEST(Ec57BeatByBeat, TheCloserBeatMatches) {
  const auto pairs = [](const Marks& reference, const Marks& test) {
    return pairs_of(compared(reference, test, period_to(40000)));
  };
  EXPECT_EQ(pairs(beats(31000, 100, "V"), {beat(30990, 'N'), beat(31005, 'V')}), "Vv 1, On 1");
  EXPECT_EQ(pairs({beat(30990, 'N'), beat(31005, 'V')}, beats(31000, 100, "V")), "No 1, Vv 1");
  EXPECT_EQ(pairs(beats(31000, 100, "N"), beats(31015, 100, "N")), "Nn 1") << "the window includes its ends";
  EXPECT_EQ(pairs(beats(31000, 100, "N"), beats(31016, 100, "N")), "No 1, On 1");
  // The first test beat is as close to the second reference beat, which has a closer partner.
  EXPECT_EQ(pairs({beat(31000, 'N'), beat(31024, 'V')}, {beat(31012, 'N'), beat(31030, 'V')}), "Nn 1, Vv 1");
}

// At 250 Hz, 150 ms are 37.5 samples.
TEST(Ec57BeatByBeat, TheWindowIsRounded) {
  EXPECT_EQ(period_of(250, 0, 150).match_window, 38);
  EXPECT_EQ(period_of(128, 0, 150).match_window, 19);
  EXPECT_EQ(period_of(360, 0, 150).start, 108000);
}

TEST(Ec57BeatByBeat, FibrillationAndShutdownToTheEnd) {
  const Marks reference = {beat(30100, 'N'), beat(30200, '[')}, test = beats(30100, 200, "NVV");
  EXPECT_EQ(pairs_of(compared(reference, test, period_to(31000))), "Nn 1");
  const auto shut = compared(beats(30100, 200, "NVV"), {beat(30100, 'N'), shutdown_start(30200)}, period_to(31000));
  EXPECT_EQ(pairs_of(shut), "Nn 1, Vx 2");
  EXPECT_EQ(shut.shutdown_s, 8);
}

// A mark without an end, as in the AHA database, stands within the shutdown: here from 30115 to 30385.
TEST(Ec57BeatByBeat, AMarkWithinTheShutdown) {
  const Marks test = {beat(30100, 'N'), shutdown_start(30250), beat(30400, 'N')};
  const MarkedBeats marked = marked_beats(test, 15);
  ASSERT_EQ(marked.shutdown.size(), 1U);
  EXPECT_EQ(marked.shutdown[0].start, 30115);
  EXPECT_EQ(marked.shutdown[0].end, 30385);
  EXPECT_EQ(marked.beats[1].rr, 0);
}

TEST(Ec57BeatByBeat, NothingToCompare) {
  EXPECT_EQ(pairs_of(compared({}, {}, period_to(40000))), "");
  EXPECT_EQ(pairs_of(compared({}, beats(31000, 100, "NN"), period_to(40000))), "On 2");
  EXPECT_EQ(pairs_of(compared(beats(31000, 100, "NN"), {}, period_to(40000))), "No 2");
  EXPECT_EQ(figure(beat_row({}), "qrs_sensitivity"), std::nullopt);
}

}  // namespace
}  // namespace beatscan::ec57
