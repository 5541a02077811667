// Compares runs. The expected numbers are worked by hand from the definitions.
#include "app/evaluation/ec57/run_by_run.h"

#include <gtest/gtest.h>

#include "tests/app/evaluation/ec57/marks.h"

namespace beatscan::ec57 {
namespace {

// Returns the counts that are not 0, such as "2/3 1": one run of 2 in the reference and 3 in the test.
std::string counts_of(const RunMatrix& matrix) {
  std::string text;
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t j = 0; j < matrix.size(); ++j)
      if (matrix[i][j] > 0)
        text += (text.empty() ? "" : ", ") + std::to_string(i) + "/" + std::to_string(j) + " " +
                std::to_string(matrix[i][j]);
  return text;
}

std::string figures_of(const RunComparison& comparison) {
  std::string text;
  for (const Figure& its : run_row(comparison).figures)
    text += its.heading + (its.value ? " " + std::to_string(static_cast<int>(100 * *its.value + 0.5)) : " -") + " ";
  return text;
}

//   reference                         test
//   30100 V V N                       V V N             2 and 2
//   30400 V V V V N                   V V . V N, with N at the point: 2; then a single V
//   30900 V N                         N N               1 and 0
//   31200                             six V, N          0 and 6
//   32000 [ to 32500 ], 32600 N       32100 V V, N      6 and 2
TEST(Ec57RunByRun, RunsOfVByHand) {
  const Marks reference = joined({beats(30100, 50, "VVN"),
                                  beats(30400, 50, "VVVV"),
                                  beats(30700, 200, "NV"),
                                  beats(31000, 200, "N"),
                                  {beat(32000, '['), beat(32500, ']'), beat(32600, 'N')}});
  const Marks test =
      joined({beats(30100, 50, "VVN"), beats(30400, 50, "VVNV"), beats(30700, 200, "NN"), beats(31000, 200, "N"),
              beats(31200, 50, "VVVVVVN"), beats(32100, 50, "VV"), beats(32600, 50, "N")});
  const auto comparison = compare_runs(reference, test, period_to(40000), 'V');
  EXPECT_EQ(counts_of(comparison.sensitivity), "1/0 1, 2/2 1, 4/2 1, 6/2 1");
  EXPECT_EQ(counts_of(comparison.ppv), "0/6 1, 1/1 1, 2/2 2, 6/2 1") << "4/2 looks like 2/2 within its window";
  EXPECT_EQ(figures_of(comparison), "CSe 100 C+P 100 SSe 0 S+P - LSe 0 L+P 0 ");
  EXPECT_EQ(counts_of(compare_runs(reference, test, period_to(40000), 'S').sensitivity), "");
}

// In atrial fibrillation, beats N are S, and the whole is one long run.
TEST(Ec57RunByRun, RunsOfSByHand) {
  const Marks own = beats(30100, 100, "NNNNNNNNNNNAANASN");
  const Marks reference = joined({{rhythm(30050, "(AFIB"), rhythm(31050, "(N")}, own});
  const Marks test = joined({{rhythm(30100, "(AFIB"), rhythm(30500, "(N")}, beats(30100, 100, "NNNNNNNNNNNAANSNN")});
  const auto comparison = compare_runs(reference, test, period_to(40000), 'S');
  EXPECT_EQ(counts_of(comparison.sensitivity), "2/1 1, 2/2 1, 6/6 1");
  EXPECT_EQ(counts_of(comparison.ppv), "1/1 1, 2/2 1, 6/6 1");
  EXPECT_EQ(figures_of(comparison), "CSe 50 C+P 100 SSe - S+P - LSe 100 L+P 100 ");
}

TEST(Ec57RunByRun, FusionBeatsAreRunsOfV) {
  const auto comparison = compare_runs(beats(30100, 100, "NVFN"), beats(30100, 100, "NVVN"), period_to(40000), 'V');
  EXPECT_EQ(counts_of(comparison.sensitivity), "2/2 1");
}

TEST(Ec57RunByRun, ShutdownEndsARun) {
  const Marks broken = {beat(30100, 'V'), shutdown_start(30120), shutdown_end(30180), beat(30200, 'V'),
                        beat(30300, 'N')};
  const auto comparison = compare_runs(beats(30100, 100, "VVN"), broken, period_to(40000), 'V');
  EXPECT_EQ(counts_of(comparison.sensitivity), "2/1 1");
  EXPECT_EQ(counts_of(comparison.ppv), "1/1 2");
}

TEST(Ec57RunByRun, AtTheEndsOfThePeriod) {
  const Marks own = beats(29900, 50, "VVVV");
  const auto comparison = compare_runs(own, own, period_to(40000), 'V');
  EXPECT_EQ(counts_of(comparison.sensitivity), "2/2 1") << "from 30,000 to the end of the list";
  const Marks flutter = {beat(29000, '['), beat(30500, ']'), beat(30600, 'N')};
  EXPECT_EQ(counts_of(compare_runs(flutter, {}, period_to(40000), 'V').sensitivity), "6/0 1");
  EXPECT_EQ(counts_of(compare_runs(flutter, Marks{beat(29500, '[')}, period_to(40000), 'V').sensitivity), "6/6 1");
}

}  // namespace
}  // namespace beatscan::ec57
