// Compares steps 1 to 5 of the published pipeline with tests/reference/published.py, which was written from the
// description alone. Starts, lengths and rows are identical, and the response is within 1e-5 of its largest value.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/common/sha256.h"
#include "app/config/config.h"
#include "stages/io/csv/ingest.h"
#include "stages/methods/as_published.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/read_npy.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

const fs::path kReference = fs::path(source_folder()) / "tests/reference";

fs::path input_of(const std::string& name) {
  return name == "mitdb_205" ? fs::path(source_folder()) / "data/mitdb_205.csv"
                             : kReference / "inputs" / (name + ".csv");
}

nlohmann::json expected_counts(const std::string& name) {
  std::ifstream file(kReference / "expected" / name / "expected.json");
  return nlohmann::json::parse(file);
}

template <class T>
std::vector<T> expected_array(const std::string& name, const std::string& array) {
  return read_npy<T>(kReference / "expected" / name / (array + ".npy")).values;
}

void expect_close(const std::vector<double>& response, const std::vector<double>& sampled, std::int64_t every,
                  double largest) {
  ASSERT_EQ(sampled.size(), (response.size() + every - 1) / every);
  for (std::size_t i = 0; i < sampled.size(); ++i)
    ASSERT_NEAR(response[i * every], sampled[i], 1e-5 * largest) << "sample " << i * every;
}

template <class Context>
class Published : public OnBackend<Context> {
 protected:
  void expect_as_published(const std::string& name) {
    SCOPED_TRACE(name);
    const auto expected = expected_counts(name);
    auto& context = this->context();
    const Config seed = load_config("seed", {});
    const auto recording = ingest(context, InputFile(input_of(name)), seed.ingest);
    ASSERT_EQ(recording.samples(), expected["N"]);
    const auto response = filter_as_published(context, recording.leads.front().samples.span(), seed.filter, {});
    expect_close(to_host(context, std::get<Buffer<double, Context>>(response)),
                 expected_array<double>(name, "response_sampled"), expected["response_sampled_every"],
                 expected["largest_abs_response"]);
    const auto segment = [&] { return segment_as_published(context, response, seed.segment, {}); };
    if (expected["starts"] < 2) {  // too little to make a beat
      expect_error(ErrorKind::unanalysable, "no beats", segment);
      return;
    }
    const auto beats = segment();
    const auto starts = to_host(context, beats.starts);
    EXPECT_EQ(starts, expected_array<std::int64_t>(name, "starts"));
    const auto rows = embed_as_published(context, recording, beats, seed.embed, {}).rows;
    EXPECT_EQ(rows.count, expected["B"]);
    const auto values = to_host(context, rows.values);
    EXPECT_EQ(sha256_of({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)}),
              expected["embeddings_sha256"].get<std::string>());
    const auto outcomes = to_host(context, rows.outcomes);
    EXPECT_EQ(std::ranges::count(outcomes, Outcome::too_short), expected["too_short"]);
    EXPECT_EQ(std::ranges::count(outcomes, Outcome::too_long), expected["too_long"]);
  }
};
TYPED_TEST_SUITE(Published, Backends, BackendNames);

TYPED_TEST(Published, RealRecording) { this->expect_as_published("mitdb_205"); }

TYPED_TEST(Published, SyntheticRecordings) {
  for (const char* name :
       {"length_borders", "n12007_prime_fast", "n180_one_window", "n181_two_windows", "n2003_prime", "n359_odd_short",
        "n40000_six_decimals", "n4096_power_of_two", "n9999_odd_pause", "wraps_around"})
    if (!left_out()) this->expect_as_published(name);
}

TYPED_TEST(Published, TooShortForAWindow) {
  auto& context = this->context();
  const Config seed = load_config("seed", {});
  const auto recording = ingest(context, InputFile(input_of("n179_no_window")), seed.ingest);
  expect_error(ErrorKind::unanalysable, "too short",
               [&] { find_as_published(context, recording, seed.filter, seed.segment, {}); });
}

// Runs step 3 alone on a response full of equal values, as exact ties do not survive an FFT.
TYPED_TEST(Published, TiesOfTheResponse) {
  auto& context = this->context();
  const auto response = from_host(context, expected_array<double>("ties", "response"));
  const auto beats = find_beats(context, std::span<const double>(response.span()), load_config("seed", {}).segment, {});
  EXPECT_EQ(to_host(context, beats.starts), expected_array<std::int64_t>("ties", "starts"));
}

}  // namespace
}  // namespace beatscan
