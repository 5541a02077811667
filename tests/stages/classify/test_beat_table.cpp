#include "stages/classify/beat_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "stages/classify/accepted_intervals.h"
#include "stages/classify/pacing.h"
#include "stages/quality/quality_index.h"
#include "stages/waves/waves.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/recorded_leads.h"

namespace beatscan {
namespace {

constexpr double kRateHz = 250;

// Two leads with a beat each 0.8 s; beat 30 is premature, wide, inverted, and without a P wave.
struct MadeRecording {
  std::vector<double> r_peaks;
  std::vector<std::vector<float>> leads;

  MadeRecording() {
    double at_s = 0.6;
    for (int i = 0; i < 80; ++i) {
      r_peaks.push_back(std::round(at_s * kRateHz));
      at_s += i == 29 ? 0.5 : i == 30 ? 1.1 : 0.8;
    }
    for (const double gain : {1.0, 0.6}) {
      std::vector<float> x(static_cast<std::size_t>(at_s * kRateHz));
      unsigned noise = 5;
      for (float& value : x)
        value = static_cast<float>(0.01 * ((noise = noise * 1'664'525 + 1'013'904'223) / 4294967296.0 - 0.5));
      for (std::size_t i = 0; i < r_peaks.size(); ++i) {
        if (i != 30) add(x, r_peaks[i] - 0.16 * kRateHz, 0.022, 0.12 * gain);
        add(x, r_peaks[i], i == 30 ? 0.035 : 0.012, (i == 30 ? -1.3 : 1) * gain);
        add(x, r_peaks[i] + 0.27 * kRateHz, 0.045, 0.3 * gain);
      }
      leads.push_back(std::move(x));
    }
  }

 private:
  static void add(std::vector<float>& x, double at, double width_s, double height_mv) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double apart = (static_cast<double>(i) - at) / kRateHz / width_s;
      if (std::abs(apart) < 6) x[i] += static_cast<float>(height_mv * std::exp(-0.5 * apart * apart));
    }
  }
};

template <class Context>
class BeatTables : public OnBackend<Context> {
 protected:
  BeatFeatures table() {
    const MadeRecording made;
    auto recording = recording_of_leads(this->context(), made.leads);
    const std::size_t beats = made.r_peaks.size();
    std::vector<std::int64_t> kept(beats);
    std::vector<std::uint8_t> templates(beats);
    for (std::size_t i = 0; i < beats; ++i) kept[i] = static_cast<std::int64_t>(i);
    templates[30] = 1;
    const std::vector<float> of_rows(beats, 0.5F);
    RrIntervals<Context> intervals(this->context(), std::ssize(made.r_peaks));
    find_rr_intervals<Context>(this->context(), made.r_peaks, std::vector<std::uint8_t>(beats - 1), kRateHz, intervals);
    const auto template_of = from_host(this->context(), templates);
    const auto distances = from_host(this->context(), of_rows);
    const std::vector<std::int64_t> leads{0, 1};
    const BeatWaves no_waves;
    const BeatImpulses no_impulses;
    const QualityIndex quality = made_quality();
    const TableBeats<Context> input{.r_peaks = made.r_peaks,
                                    .intervals = intervals,
                                    .kept = kept,
                                    .template_of = template_of,
                                    .template_distance = distances,
                                    .waveform = of_rows,
                                    .rhythm = of_rows,
                                    .baseline = of_rows,
                                    .noise = of_rows,
                                    .leads = leads,
                                    .waves = no_waves,
                                    .impulses = no_impulses,
                                    .quality = quality,
                                    .sample_rate_hz = kRateHz};
    return table_on_host(this->context(), beat_table<Context>(this->context(), recording, input));
  }
  // Two leads: the first one is good up to the twentieth second, and noise from there on; the second one is lost.
  static QualityIndex made_quality() {
    QualityIndex index{.leads = 2, .blocks = 20, .block_samples = 2 * kRateHz, .probabilities = {}};
    for (int block = 0; block < 20; ++block) {
      const float good = block < 10 ? 0.9F : 0.3F;
      index.probabilities.insert(index.probabilities.end(), {good, 0.95F - good, 0.05F});
    }
    for (int block = 0; block < 20; ++block) index.probabilities.insert(index.probabilities.end(), {0.1F, 0.0F, 0.9F});
    return index;
  }
  static std::vector<float> column(const BeatFeatures& table, const std::string& name) {
    const FeatureColumn* column = table.column(name);
    EXPECT_TRUE(column) << name;
    return column ? column->values : std::vector<float>();
  }
};
TYPED_TEST_SUITE(BeatTables, Backends);

TYPED_TEST(BeatTables, DistinguishAPrematureWideBeat) {
  const auto table = this->table();
  for (const char* name :
       {"qrs_dissimilarity", "qrs_dissimilarity_max", "qrs_dissimilarity_local", "qrs_distance", "qrs_width_ratio",
        "qrs_area_ratio", "qrs_polarity", "is_premature", "template_distance", "pause"}) {
    const auto values = this->column(table, name);
    EXPECT_EQ(std::ranges::max_element(values) - values.begin(), 30) << name;
  }
  for (const char* name :
       {"rr_recording", "rr_local16", "prematurity", "similar_share", "template_share", "p_projection"}) {
    const auto values = this->column(table, name);
    EXPECT_EQ(std::ranges::min_element(values) - values.begin(), 30) << name;
  }
  EXPECT_NEAR(this->column(table, "reference_rr_s")[30], 0.8, 0.005);
  EXPECT_NEAR(this->column(table, "prematurity")[30], std::log(0.5 / 0.8), 0.01);
}

TYPED_TEST(BeatTables, HaveTheColumnsThatAreNamed) {
  std::vector<std::string> names;
  for (const auto table = this->table(); const FeatureColumn& column : table.columns) names.push_back(column.name);
  EXPECT_EQ(names, beat_table_names());
}

TYPED_TEST(BeatTables, HaveNoWavesWithoutADelineation) {
  for (const float value : this->column(this->table(), "p_evidence")) EXPECT_TRUE(std::isnan(value));
}

TYPED_TEST(BeatTables, HaveTheQualityOfTheBestAndTheWorstLead) {
  const auto table = this->table();
  const auto beats = MadeRecording().r_peaks;
  const auto good = this->column(table, "quality_good"), worst = this->column(table, "quality_good_worst"),
             noise = this->column(table, "quality_noise"), lost = this->column(table, "quality_lost");
  for (std::size_t i = 0; i < beats.size(); ++i) {
    const double place = beats[i] / kRateHz;  // the change lies between the middles of blocks, at 19 and 21 s
    const double expected = 0.9 - 0.6 * std::clamp((place - 19) / 2, 0.0, 1.0);
    EXPECT_NEAR(good[i], expected, 1e-5) << i;
    EXPECT_NEAR(noise[i], 0.95 - expected, 1e-5) << i;
    EXPECT_NEAR(lost[i], 0.05, 1e-5) << i;
    EXPECT_NEAR(worst[i], 0.1, 1e-5) << i;
  }
}

// docs/beat_table.md is made by scripts/classify/beat_table_document.py, and lists the columns as they are.
TYPED_TEST(BeatTables, AreDocumented) {
  std::ifstream file(source_folder() + "/docs/beat_table.md");
  std::stringstream document;
  document << file.rdbuf();
  const auto table = this->table();
  std::set<std::string> names;
  for (const auto& [name, unit, text, values] : table.columns) {
    EXPECT_EQ(values.size(), 80U) << name;
    EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
    EXPECT_FALSE(text.empty()) << name;
    const auto place = document.str().find(" `" + name + "`"), end = document.str().find('\n', place);
    ASSERT_NE(place, std::string::npos) << name;
    const std::string row = document.str().substr(place, end - place);
    EXPECT_NE(row.find(" | " + unit + " | "), std::string::npos) << name;
    if (name.ends_with("_max") && text == "its largest value over leads") continue;  // as the head says
    const std::string cell = std::regex_replace(text, std::regex("\\|"), "\\|");     // a bar would end the cell
    // Columns that differ in a number share a row.
    EXPECT_NE(row.find(cell.substr(0, cell.find_first_of("0123456789"))), std::string::npos) << name;
    EXPECT_TRUE(row.ends_with(cell.substr(cell.find_last_of("0123456789") + 1) + " |")) << name;
  }
}

}  // namespace
}  // namespace beatscan
