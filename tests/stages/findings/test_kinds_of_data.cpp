// Compares kinds and templates as a whole, by the program on data/, with an independent reference in numpy,
// tests/reference/kinds.py.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <utility>

#include "app/files/small_csv.h"
#include "stages/findings/beat_class.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/read_npy.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

template <class Context>
class KindsOfData : public OnBackend<Context> {
 protected:
  // Returns the columns `kind` and `template` of beats.csv of data/. All beats are taken to be in good signal.
  std::vector<std::pair<char, int>> run(std::vector<std::string> settings = {}) {
    settings.insert(settings.end(), {"quality.noisy_rest=10", "quality.noisy_between=1"});
    return run_file(source_folder() + "/data/mitdb_205.csv", settings);
  }

  std::vector<std::pair<char, int>> run_file(const std::string& file, const std::vector<std::string>& settings) {
    const std::string out = this->out();
    std::vector<std::string> words{
        "run",    file, "--rate", "360", "--out", out, "-q", "--device", std::is_same_v<Context, Cpu> ? "cpu" : "cuda",
        "--force"};
    words.insert(words.end(), {"--set", "vae.epochs=1"});
    for (const auto& setting : settings) words.insert(words.end(), {"--set", setting});
    const auto result = run_program(words);
    EXPECT_EQ(result.status, 0) << result.err;
    std::vector<std::pair<char, int>> beats;
    const std::vector<std::string_view> columns{"kind", "template"};
    for_each_row(out + "/beats.csv", columns, [&](auto cells, std::int64_t) {
      beats.emplace_back(cells[0].at(0), static_cast<int>(parse_double(cells[1]).value_or(-1)));
    });
    return beats;
  }

  // Writes data/ with 1 mV of noise below 16 Hz from kNoisyFrom_s to kNoisyTo_s, and returns the file's name.
  std::string noisy_data() const {
    std::ifstream lines(source_folder() + "/data/mitdb_205.csv");
    std::string line, text;
    std::mt19937 random(1);
    std::getline(lines, text);
    text += "\n";
    double once = 0, twice = 0;  // smoothed
    for (std::int64_t sample = 0; std::getline(lines, line); ++sample) {
      const bool noisy = kNoisyFrom_s * 360 <= sample && sample < kNoisyTo_s * 360;
      // A sum of twelve even numbers is nearly normal, and the same in every C++ library.
      double noise = 0;
      for (int i = 0; noisy && i < 12; ++i) noise += static_cast<double>(random()) / 4294967296.0 - 0.5;
      once += 0.25 * (noise - once);
      twice += 0.25 * (once - twice);
      text += std::to_string(parse_double(line).value() + 3.7 * twice) + "\n";
    }
    return folder_.write("noisy.csv", text);
  }

  // Writes data/ with a drift of 0.4 mV, below 6 Hz, and returns the file's name.
  std::string drifting_data() const {
    std::ifstream lines(source_folder() + "/data/mitdb_205.csv");
    std::string line, text;
    std::mt19937 random(1);
    std::getline(lines, text);
    text += "\n";
    double drift = 0;
    while (std::getline(lines, line)) {
      double noise = 0;
      for (int i = 0; i < 12; ++i) noise += static_cast<double>(random()) / 4294967296.0 - 0.5;
      drift += 0.1 * (noise - drift);
      text += std::to_string(parse_double(line).value() + 1.75 * drift) + "\n";
    }
    return folder_.write("drift.csv", text);
  }

  static constexpr std::int64_t kNoisyFrom_s = 600, kNoisyTo_s = 720;

  std::string out() const { return (folder_.path() / "o").string(); }

 private:
  TemporaryFolder folder_;
};
TYPED_TEST_SUITE(KindsOfData, Backends, BackendNames);

// The program's rows differ from the reference's by 1 % of their spread. That moves beats between neighbouring
// templates, and a template of few beats may be there or not; so some beats may differ.
TYPED_TEST(KindsOfData, AgreeWithTheReference) {
  const auto expected =
      read_npy<std::int64_t>(std::filesystem::path(source_folder()) / "tests/reference/expected/mitdb_205/kinds.npy")
          .values;
  const auto found = this->run();
  ASSERT_EQ(2 * found.size(), expected.size());
  int others = 0;
  std::map<int, std::map<std::int64_t, int>> shapes;  // beats of each template that have each of the expected shapes
  for (std::size_t i = 0; i < found.size(); ++i) {
    others += found[i].first != kKindLetters[expected[2 * i + 1]];
    ++shapes[found[i].second][expected[2 * i]];
  }
  EXPECT_LE(others, 8) << "of 2,655";
  int alike = 0;
  for (const auto& [number, counts] : shapes)
    alike += std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; })->second;
  EXPECT_GE(alike, 0.97 * static_cast<double>(found.size()));
  EXPECT_LE(shapes.size(), 12U);
}

// In a recording of few beats V beats may be what the score finds usual, so it does not speak against them.
TYPED_TEST(KindsOfData, ABeatThatIsNotOddIsNotVUnlessThereAreFewBeats) {
  const auto ventricular = [](const auto& beats) {
    return std::ranges::count_if(beats, [](const auto& beat) { return beat.first == 'V'; });
  };
  EXPECT_GT(ventricular(this->run()), 70);
  EXPECT_EQ(ventricular(this->run({"findings.v_least_odd=1000"})), 0);
  EXPECT_GT(ventricular(this->run({"findings.v_least_odd=1000", "findings.usual_few=100000"})), 70);
}

// Each rule for V is tried by itself: without it there is none, or fewer.
TYPED_TEST(KindsOfData, APauseOrAVeryOddShapeSpeaksForV) {
  const auto ventricular = [this](std::vector<std::string> settings) {
    settings.push_back("findings.v_alone_least=100");
    return std::ranges::count_if(this->run(settings), [](const auto& beat) { return beat.first == 'V'; });
  };
  const std::vector<std::string> pause_alone{"findings.v_distance_weight=0", "findings.v_energy_weight=0",
                                             "findings.v_width_weight=0", "findings.v_early_weight=0"};
  const auto with = [](std::vector<std::string> settings, const std::string& more) {
    settings.push_back("findings." + more);
    return settings;
  };
  EXPECT_GT(ventricular(with(pause_alone, "v_late_weight=10")), 20);
  EXPECT_EQ(ventricular(with(pause_alone, "v_late_weight=0")), 0);
  const std::vector<std::string> far{"findings.v_least_distance=10"};
  EXPECT_GT(ventricular(with(far, "v_odd_distance=0.15")), 20);
  EXPECT_EQ(ventricular(with(with(far, "v_odd_distance=0.15"), "v_very_odd=100")), 0);
}

// Odd shapes that noise made are not V, and the V beats elsewhere stay V. Noise is measured 2.5 s far on either side. A
// few of the V beats have noise of their own, and share their template with most of the noise.
TYPED_TEST(KindsOfData, OfNoiseAreNotVentricular) {
  const auto in_noise = [this](const std::vector<std::string>& settings) {
    this->run_file(this->noisy_data(), settings);
    std::map<std::string, int> in, out;
    const std::vector<std::string_view> columns{"kind", "time_s"};
    for_each_row(this->out() + "/beats.csv", columns, [&](auto cells, std::int64_t) {
      const double time = parse_double(cells[1]).value_or(0);
      if (this->kNoisyFrom_s < time && time < this->kNoisyTo_s) ++in[std::string(cells[0])];
      if (time < this->kNoisyFrom_s - 3 || time > this->kNoisyTo_s + 3) ++out[std::string(cells[0])];
    });
    return std::pair(in["V"], out["V"]);
  };
  const auto [noise_as_v, others] = in_noise({"findings.v_most_noise=1000"});
  EXPECT_GT(noise_as_v, 50);
  const auto [noise, kept] = in_noise({});
  EXPECT_EQ(noise, 0);
  EXPECT_GE(kept, others - 4);
  EXPECT_GT(kept, 60);
}

// A drift as of a moving electrode makes beats that come early. They are not S, and no tachycardia is told of them.
TYPED_TEST(KindsOfData, OfADriftAreNotSupraventricular) {
  this->run_file(this->drifting_data(), {});
  int early = 0;
  const std::vector<std::string_view> kind{"kind"}, label{"label"};
  for_each_row(this->out() + "/beats.csv", kind, [&](auto cells, std::int64_t) { early += cells[0] == "S"; });
  EXPECT_EQ(early, 0);
  for_each_row(this->out() + "/episodes.csv", label, [&](auto cells, std::int64_t) { EXPECT_NE(cells[0], "SVT"); });
}

// A beat of kind V or S has 4 added to its score, divided by the square root of the noise there.
TYPED_TEST(KindsOfData, CountInTheScores) {
  this->run();
  const std::vector<std::string_view> columns{"kind", "score", "waveform_score", "rhythm_score", "noise"};
  int counted = 0;
  for_each_row(this->out() + "/beats.csv", columns, [&](auto cells, std::int64_t) {
    const auto number = [&](int i) { return parse_double(cells[i]).value_or(0); };
    const bool counts = cells[0] == "V" || cells[0] == "S";
    const double part = counts ? 4 / std::sqrt(number(4)) : 0, waveform = number(2) > 0 ? number(2) : 0.02 * number(2);
    EXPECT_NEAR(number(1), waveform + number(3) + part, 1e-4);
    counted += counts;
  });
  EXPECT_GT(counted, 70);
}

}  // namespace
}  // namespace beatscan
