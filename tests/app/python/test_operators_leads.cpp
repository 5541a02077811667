// Calls the operators with leads by row, [L, N], and compares them with the stages and with one lead, [N].
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "app/output/model_file.h"
#include "app/python/arrays.h"
#include "tests/app/python/operators_test.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

using Sizes = std::vector<std::int64_t>;

Sizes sizes_of(const c10::IValue& value) { return value.toTensor().sizes().vec(); }

// Returns the bits of one row of a tensor.
std::vector<std::uint32_t> bits_of_row(const c10::IValue& value, std::int64_t row) {
  return bits_of(values_of<float>(value.toTensor()[row]));
}

constexpr auto kGap = static_cast<std::uint8_t>(Quality::missing), kStill = static_cast<std::uint8_t>(Quality::flat);

// Returns the ECG as in a second lead: smaller, inverted and delayed, with some power-line interference.
std::vector<float> second_lead(const std::vector<float>& first) {
  std::vector<float> second(first.size(), 0.1f);
  for (std::size_t i = 2; i < first.size(); ++i)
    second[i] = 0.1f - 0.5f * first[i - 2] + 0.02f * static_cast<float>(std::sin(0.9 * static_cast<double>(i)));
  return second;
}

void add_lobe(std::vector<float>& signal, double at) {
  for (int t = -40; t <= 40; ++t)
    signal[static_cast<std::size_t>(std::llround(at) + t)] += 0.7f * static_cast<float>(std::exp(-t * t / 200.0));
}

template <class Context>
class OperatorsOnLeads : public Operators<Context> {
 protected:
  OperatorsOnLeads() : first_(synthetic_ecg()), second_(second_lead(first_)) {}

  // Two leads in the rows 1 and 3. The rows 0 and 2 are not readable.
  at::Tensor among_useless() {
    const at::Tensor one = this->tensor(first_);
    return at::stack({at::full_like(one, kNone), one, at::full_like(one, 3), this->tensor(second_)});
  }

  c10::Stack find(const at::Tensor& x) { return call("find_beats", {{"x", x}, {"rate_hz", kRate}}); }
  c10::Stack embed(const at::Tensor& x, const c10::Stack& beats) {
    return call("embed_beats", {{"x", x}, {"r_peaks", beats[0]}, {"rate_hz", kRate}, {"blocks", beats[2]}});
  }
  Columns score(const at::Tensor& x) {
    return columns_in(call("score", {{"x", x}, {"rate_hz", kRate}, {"model", model()}}));
  }

  // Returns the path of a model trained on the first lead.
  std::string model() {
    const auto path = folder_.path() / "model.safetensors";
    if (exists(path)) return path.string();
    auto& context = this->context();
    const at::Tensor x = this->tensor(first_);
    const auto recording = this->recording(x);
    const Config config = this->config();
    const auto embedded = operators::embed(context, recording, this->found(recording, config), config);
    VaeOptions options = config.vae;
    options.epochs = 1;
    model_.emplace(train_vae(context, embedded.rows, options, {.seed = 5, .parameters = {}}).model);
    return folder_.write("model.safetensors", model_safetensors({Config{}, model_->parameters()})).string();
  }

  std::vector<float> first_, second_;
  TemporaryFolder folder_;
  std::optional<VaeModel> model_;
};
TYPED_TEST_SUITE(OperatorsOnLeads, Backends, BackendNames);

// Each lead has its own gaps; unusable ones are omitted.
TYPED_TEST(OperatorsOnLeads, ARecordingOfThem) {
  const at::Tensor x = this->x(), flat = at::zeros_like(x), later = x.roll(7);
  later[5].fill_(kNone);
  const at::Tensor stacked = at::stack({x, flat, later});  // the recording borrows its memory
  const auto recording = this->recording(stacked);
  ASSERT_EQ(recording.leads.size(), 2u);
  EXPECT_EQ(operators::rows_of_leads(recording), (Sizes{0, 2}));
  EXPECT_EQ(recording.leads[0].missing, 0);
  EXPECT_EQ(recording.leads[1].missing, 1);
  EXPECT_EQ(to_host(this->context(), recording.leads[0].samples), values_of<float>(x));
  EXPECT_EQ(operators::rows_of_leads(this->recording(x)), Sizes{0});
  const auto refused = [&](const at::Tensor& tensor, ErrorKind kind, const char* part) {
    expect_error(kind, part, [&] { this->recording(tensor); });
  };
  refused(x.view({1, 1, -1}), ErrorKind::usage, "x: has 3 dimensions");
  refused(at::zeros({65, 10}, x.options()), ErrorKind::usage, "x: has 65 leads");
  refused(at::zeros({0, 10}, x.options()), ErrorKind::usage, "x: has 0 leads");
  refused(at::stack({flat, flat}), ErrorKind::unanalysable, "x: flat");
  refused(at::full_like(stacked, kNone), ErrorKind::unanalysable, "x: no sample has a value");
}

TYPED_TEST(OperatorsOnLeads, OneRowIsOneLead) {
  const at::Tensor x = this->x(), row = x.unsqueeze(0);
  const auto beats = this->find(x), in_row = this->find(row);
  EXPECT_EQ(values_of<double>(in_row[0]), values_of<double>(beats[0]));
  EXPECT_EQ(values_of<std::uint8_t>(in_row[1]), values_of<std::uint8_t>(beats[1]));
  EXPECT_EQ(values_of<std::uint8_t>(in_row[2]), values_of<std::uint8_t>(beats[2]));
  EXPECT_EQ(sizes_of(beats[2]), Sizes{45}) << "90 s";
  EXPECT_EQ(sizes_of(in_row[2]), (Sizes{1, 45}));

  const auto rows = this->embed(x, beats), of_row = this->embed(row, in_row);
  const std::int64_t count = rows[1].toTensor().size(0);
  EXPECT_EQ(sizes_of(rows[0]), (Sizes{count, 256}));
  EXPECT_EQ(sizes_of(of_row[0]), (Sizes{1, count, 256}));
  EXPECT_EQ(sizes_of(rows[2]), (Sizes{2, 256}));
  EXPECT_EQ(sizes_of(of_row[2]), (Sizes{1, 2, 256}));
  EXPECT_EQ(bits_of_tensor(of_row[0]), bits_of_tensor(rows[0]));
  EXPECT_EQ(values_of<std::int64_t>(of_row[1]), values_of<std::int64_t>(rows[1]));
  EXPECT_EQ(bits_of_tensor(of_row[2]), bits_of_tensor(rows[2]));

  const Columns one = this->score(x), two = this->score(row);
  ASSERT_EQ(one.size(), two.size());
  for (const auto& entry : one) {
    const at::Tensor other = two.at(entry.key());
    EXPECT_EQ(other.sizes(), entry.value().sizes()) << entry.key();
    EXPECT_TRUE(at::equal(other.nan_to_num(-9), entry.value().nan_to_num(-9))) << entry.key();
  }
  EXPECT_EQ(values_of<std::int64_t>(one.at("lead")), Sizes(values_of<double>(beats[0]).size(), 0));
}

TYPED_TEST(OperatorsOnLeads, AreTheStages) {
  auto& context = this->context();
  const at::Tensor x = at::stack({this->tensor(this->first_), this->tensor(this->second_)});
  const auto recording = this->recording(x);
  const auto found = this->found(recording, this->config());
  const auto expected = operators::embed(context, recording, found, this->config());
  ASSERT_EQ(expected.leads.size(), 2u);
  const auto beats = this->find(x);
  EXPECT_EQ(values_of<double>(beats[0]), found.list.r_peaks);
  ASSERT_EQ(sizes_of(beats[2]), (Sizes{2, 45}));
  for (int lead = 0; lead < 2; ++lead)
    EXPECT_EQ(values_of<std::uint8_t>(beats[2].toTensor()[lead]), operators::codes_of(found.leads[lead].blocks));

  const auto results = this->embed(x, beats);
  EXPECT_EQ(sizes_of(results[0]), (Sizes{2, expected.beats(), 256}));
  EXPECT_EQ(bits_of_tensor(results[0]), bits_of(to_host(context, expected.rows.values)));
  EXPECT_EQ(values_of<std::int64_t>(results[1]), to_host(context, expected.rows.kept));
  ASSERT_EQ(sizes_of(results[2]), (Sizes{2, 2, 256}));
  for (int lead = 0; lead < 2; ++lead) {
    const auto reference = values_of<float>(results[2].toTensor()[lead]);
    const auto& own = expected.leads[lead].beats.reference;
    EXPECT_FLOAT_EQ(reference[100], static_cast<float>(own.amplitude * own.median[100])) << lead;
    EXPECT_FLOAT_EQ(reference[256], static_cast<float>(own.amplitude * own.spread)) << lead;
  }

  const Columns columns = this->score(x);
  const auto ranking = expected_ranking(context, recording, this->config(), *this->model_);
  EXPECT_EQ(bits_of(values_of<float>(columns.at("score"))), bits_of(ranking.scores.score)) << "all beats have rows";
  EXPECT_EQ(bits_of(values_of<float>(columns.at("noise"))), bits_of(ranking.noise));
  auto errors = ranking.rows.reconstruction_error;
  errors.resize(expected.beats());
  EXPECT_EQ(bits_of(values_of<float>(columns.at("reconstruction_error"))), bits_of(errors)) << "of the first lead";
  auto latents = ranking.rows.latents;
  latents.resize(2 * expected.beats());
  EXPECT_EQ(bits_of(values_of<float>(columns.at("latents"))), bits_of(latents));
}

// The row of an unusable lead is marked as such, and changes nothing else.
TYPED_TEST(OperatorsOnLeads, RowsOfNoUseAreFlatOrMissing) {
  const at::Tensor x = this->among_useless(), useful = at::stack({x[1], x[3]});
  const auto beats = this->find(x), expected = this->find(useful);
  EXPECT_EQ(values_of<double>(beats[0]), values_of<double>(expected[0]));
  ASSERT_EQ(sizes_of(beats[2]), (Sizes{4, 45}));
  const auto blocks_of_row = [&](int row) { return values_of<std::uint8_t>(beats[2].toTensor()[row]); };
  EXPECT_EQ(blocks_of_row(0), std::vector<std::uint8_t>(45, kGap));
  EXPECT_EQ(blocks_of_row(1), values_of<std::uint8_t>(expected[2].toTensor()[0]));
  EXPECT_EQ(blocks_of_row(2), std::vector<std::uint8_t>(45, kStill));
  EXPECT_EQ(blocks_of_row(3), values_of<std::uint8_t>(expected[2].toTensor()[1]));

  const auto results = this->embed(x, beats), rows = this->embed(useful, expected);
  const std::int64_t count = rows[1].toTensor().size(0);
  EXPECT_EQ(sizes_of(results[0]), (Sizes{4, count, 256}));
  EXPECT_EQ(sizes_of(results[2]), (Sizes{4, 2, 256}));
  for (const int output : {0, 2}) {
    for (const int row : {0, 2}) EXPECT_TRUE(results[output].toTensor()[row].isnan().all().template item<bool>());
    for (const auto& [row, own] : {std::pair{1, 0}, std::pair{3, 1}})
      EXPECT_EQ(bits_of_row(results[output], row), bits_of_row(rows[output], own)) << output;
  }
  const Columns columns = this->score(x), of_useful = this->score(useful);
  EXPECT_EQ(bits_of_tensor(columns.at("score")), bits_of_tensor(of_useful.at("score")));
  auto leads = values_of<std::int64_t>(of_useful.at("lead"));
  for (auto& lead : leads) lead = lead == 0 ? 1 : 3;
  EXPECT_EQ(values_of<std::int64_t>(columns.at("lead")), leads);
}

TYPED_TEST(OperatorsOnLeads, TheLeadSaysWhereABeatIsOdd) {
  const auto r_peaks = values_of<double>(this->find(this->x())[0]);
  for (const int beat : {20, 60}) add_lobe(this->first_, r_peaks[beat] + 30);
  add_lobe(this->second_, r_peaks[40] + 30);
  const auto columns = this->score(this->among_useless());
  const auto found = values_of<double>(columns.at("r_peak"));
  const auto lead = values_of<std::int64_t>(columns.at("lead"));
  const auto score = values_of<float>(columns.at("waveform_score"));
  for (const auto& [beat, row] : {std::pair{20, 1}, std::pair{40, 3}, std::pair{60, 1}}) {
    const auto is_it = [r_peak = r_peaks[beat]](double at) { return std::abs(at - r_peak) < 10; };
    const auto i = std::ranges::find_if(found, is_it) - found.begin();
    ASSERT_LT(i, std::ssize(found)) << beat;
    EXPECT_EQ(lead[i], row) << beat;
    EXPECT_GT(score[i], 2) << beat;
  }
}

// A lead has no beat window where it is missing; its beats are then those of the other lead.
TYPED_TEST(OperatorsOnLeads, ALeadThatIsMissingForAWhileHasNoRowsThere) {
  const auto r_peaks = values_of<double>(this->find(this->x())[0]);
  const auto from = static_cast<std::size_t>(r_peaks[30]) - 20, to = static_cast<std::size_t>(r_peaks[33]) + 20;
  for (const bool in_first : {false, true}) {
    SCOPED_TRACE(in_first);
    auto first = this->first_, second = this->second_;
    auto& holed = in_first ? first : second;
    std::fill(holed.begin() + static_cast<std::ptrdiff_t>(from), holed.begin() + static_cast<std::ptrdiff_t>(to),
              kNone);
    const at::Tensor x = at::stack({this->tensor(first), this->tensor(second)});
    const auto beats = this->find(x), results = this->embed(x, beats);
    const auto found = values_of<double>(beats[0]);
    ASSERT_EQ(found.size(), r_peaks.size());
    EXPECT_EQ(results[1].toTensor().size(0), std::ssize(found)) << "all have rows";
    const Columns columns = this->score(x);
    const auto kept = values_of<bool>(columns.at("kept"));
    EXPECT_EQ(std::ranges::count(kept, true), std::ssize(kept));
    const auto errors = values_of<float>(columns.at("reconstruction_error")),
               scores = values_of<float>(columns.at("score"));
    const auto lead = values_of<std::int64_t>(columns.at("lead"));
    const at::Tensor absent = results[0].toTensor().isnan();
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool away = i >= 30 && i <= 33;
      ASSERT_EQ(absent[in_first ? 0 : 1][i].all().template item<bool>(), away) << i;
      ASSERT_EQ(absent[in_first ? 0 : 1][i].any().template item<bool>(), away) << i;
      ASSERT_FALSE(absent[in_first ? 1 : 0][i].any().template item<bool>()) << i;
      ASSERT_TRUE(std::isfinite(scores[i])) << i;
      ASSERT_EQ(std::isnan(errors[i]), away && in_first) << i;
      ASSERT_TRUE(!away || lead[i] == (in_first ? 1 : 0)) << i;
    }
  }
}

// A gap in both leads leaves a beat without a beat window, and then it is atypical in neither of them.
TYPED_TEST(OperatorsOnLeads, ABeatWithoutARowHasNoLead) {
  const auto r_peaks = values_of<double>(this->find(this->x())[0]);
  for (auto* signal : {&this->first_, &this->second_})
    std::fill_n(signal->begin() + static_cast<int>(r_peaks[10]) + 40, 10, kNone);
  const Columns columns = this->score(at::stack({this->tensor(this->first_), this->tensor(this->second_)}));
  const auto lead = values_of<std::int64_t>(columns.at("lead"));
  EXPECT_EQ(lead[10], -1);
  EXPECT_EQ(std::ranges::count(lead, -1), 1);
  EXPECT_FALSE(values_of<bool>(columns.at("kept"))[10]);
  EXPECT_TRUE(std::isnan(values_of<float>(columns.at("score"))[10]));
}

TYPED_TEST(OperatorsOnLeads, BlocksOfAnotherShapeAreRefused) {
  const at::Tensor one = this->x(), two = at::stack({one, this->tensor(this->second_)});
  const auto of_one = this->find(one), of_two = this->find(two);
  const auto refused = [&](const at::Tensor& x, const at::Tensor& blocks, const char* part) {
    const std::string found =
        refusal("embed_beats", {{"x", x}, {"r_peaks", of_one[0]}, {"rate_hz", kRate}, {"blocks", blocks}});
    EXPECT_NE(found.find(part), std::string::npos) << found;
  };
  const at::Tensor blocks = of_one[2].toTensor(), by_row = of_two[2].toTensor();
  refused(one, by_row, "blocks: is of another shape than those that find_beats returns: give blocks [B]");
  refused(two, blocks, "give blocks by row [L, B] of all 2 leads");
  refused(two, at::cat({by_row, by_row}), "of all 2 leads");
  refused(one, blocks.slice(0, 0, 44), "blocks: has 44 blocks; find_beats makes 45 of this signal");
  refused(two, at::cat({by_row, by_row}, 1), "blocks: has 90 blocks");
  refused(two, at::full_like(by_row, 5), "blocks: 5 is not a code of find_beats");
  EXPECT_EQ(sizes_of(call("embed_beats", {{"x", two}, {"r_peaks", of_two[0]}, {"rate_hz", kRate}})[0]).front(), 2)
      << "without blocks all signal is good";
}

// The published method reads one lead. With several, the choice would be ambiguous.
TYPED_TEST(OperatorsOnLeads, ThePublishedMethodTakesOne) {
  const at::Tensor one = this->x(), row = one.unsqueeze(0), two = at::stack({one, this->tensor(this->second_)});
  const auto beats = call("find_beats", {{"x", one}, {"config", "seed"}}),
             in_row = call("find_beats", {{"x", row}, {"config", "seed"}});
  EXPECT_EQ(sizes_of(beats[2]), Sizes{0});
  EXPECT_EQ(sizes_of(in_row[2]), (Sizes{1, 0}));
  const auto rows = call("embed_beats", {{"x", one}, {"r_peaks", beats[0]}, {"config", "seed"}}),
             of_row = call("embed_beats", {{"x", row}, {"r_peaks", beats[0]}, {"config", "seed"}});
  EXPECT_EQ(bits_of_tensor(of_row[0]), bits_of_tensor(rows[0]));
  EXPECT_EQ(bits_of_tensor(of_row[2]), bits_of_tensor(rows[2]));
  const std::string part = "x: has 2 leads, and the published method reads one; give one row, x[0]";
  EXPECT_NE(refusal("find_beats", {{"x", two}, {"config", "seed"}}).find(part), std::string::npos);
  EXPECT_NE(refusal("embed_beats", {{"x", two}, {"r_peaks", beats[0]}, {"config", "seed"}}).find(part),
            std::string::npos);
  EXPECT_NE(
      refusal("ricker_response", {{"x", two}, {"rate_hz", kRate}}).find("x: has 2 dimensions; give one lead, [N]"),
      std::string::npos);
}

}  // namespace
}  // namespace beatscan
