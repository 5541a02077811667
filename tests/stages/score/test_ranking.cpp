// Compares rows, rhythm and ranking as a whole, by the program on data/, with an independent reference in numpy,
// tests/reference/ranking.py. The model's part of the score is left out, as it depends on training.
#include <cmath>

#include "app/common/small_csv.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/read_npy.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

const std::filesystem::path kSource = source_folder();
// Columns of the expectations: waveform by the median alone, waveform with the nearest, rhythm, baseline, noise.
constexpr std::size_t kColumns = 5;

template <class Context>
class RankingOfData : public OnBackend<Context> {
 protected:
  // Returns columns of beats.csv. All beats are in good signal.
  std::vector<std::vector<double>> run(const std::vector<std::string_view>& columns, const std::string& setting) {
    const std::string out = (folder_.path() / "o").string();
    const auto result =
        run_program({"run", (kSource / "data/mitdb_205.csv").string(), "--rate", "360", "--out", out, "--force", "-q",
                     "--device", std::is_same_v<Context, Cpu> ? "cpu" : "cuda", "--set", "vae.epochs=1", "--set",
                     "score.model_weight=0", "--set", "score.learned_weight=0", "--set", setting});
    EXPECT_EQ(result.status, 0) << result.err;
    std::vector<std::vector<double>> values(columns.size());
    for_each_row(out + "/beats.csv", columns, [&](auto cells, std::int64_t) {
      for (std::size_t i = 0; i < cells.size(); ++i) values[i].push_back(parse_double(cells[i]).value_or(NAN));
    });
    return values;
  }

  // Leaves out the last beat: half of its row lies beyond the recording, where rows can be defined in several ways.
  void expect_near(const std::vector<double>& found, std::size_t column, double tolerance) const {
    ASSERT_EQ(found.size() * kColumns, expected_.size());
    for (std::size_t beat = 0; beat + 1 < found.size(); ++beat)
      ASSERT_NEAR(found[beat], expected_[beat * kColumns + column], tolerance) << "beat " << beat;
  }

 private:
  TemporaryFolder folder_;
  std::vector<float> expected_ = read_npy<float>(kSource / "tests/reference/expected/mitdb_205/ranking.npy").values;
};
TYPED_TEST_SUITE(RankingOfData, Backends, BackendNames);

// The tolerances are in robust deviations. The program computes the baseline on means of 40 ms and tabulates the
// low-pass, which moves a row by 1 % of its spread at most.
TYPED_TEST(RankingOfData, AgreesWithTheReference) {
  const auto found =
      this->run({"waveform_score", "rhythm_score", "baseline_score", "score", "noise"}, "score.nearest_weight=1");
  this->expect_near(found[0], 1, 0.15);
  this->expect_near(found[1], 2, 1e-5);
  this->expect_near(found[2], 3, 0.15);
  this->expect_near(found[4], 4, 0.02);
  for (std::size_t beat = 0; beat < found[0].size(); ++beat) {
    const double waveform = found[0][beat] > 0 ? found[0][beat] : 0.02 * found[0][beat];
    ASSERT_NEAR(found[3][beat], waveform + found[1][beat], 1e-4) << "beat " << beat;
  }
  this->expect_near(this->run({"waveform_score"}, "score.nearest_weight=0")[0], 0, 0.15);
}

}  // namespace
}  // namespace beatscan
