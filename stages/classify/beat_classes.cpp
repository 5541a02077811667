#include "stages/classify/beat_classes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "kernels/classify/class_odds.h"
#include "kernels/features/beat_sums.h"
#include "kernels/lists/running.h"
#include "kernels/runtime/beside.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/loaded.h"
#include "kernels/runtime/parallel.h"
#include "stages/classify/accepted_intervals.h"
#include "stages/classify/beat_table.h"
#include "stages/classify/class_chain.h"
#include "stages/classify/columns.h"

namespace beatscan {
namespace {

constexpr int kLocalBeats = 10;
constexpr double kMostExcluded = 0.6;
constexpr int kContext = kClassOdds * kContextColumns,
              kMade = kContext + features::kReferenceColumns;  // columns of a round

[[noreturn]] void refuse_column(const std::string& name) {
  throw Error(ErrorKind::input, "the model of beat classes reads the column '" + name + "', which is unknown");
}

template <class Context>
std::span<const float> column_of(const FeatureTable<Context>& table, const std::string& name) {
  if (!table.has(name)) refuse_column(name);
  return table.column(name);
}

// What the rounds read besides the columns that the trees name.
template <class Context>
struct RoundInputs {
  RoundInputs(Context& context, const FeatureTable<Context>& table, const ClassModel& model)
      : table(table), af_log_odds(column_of(table, "af_log_odds")), most_odds(model.most_odds) {
    if (model.noise.size() <= 1 && model.clean.size() <= 1) return;
    rr_s = Buffer<double, Context>(context, table.beats());
    group = Buffer<std::int16_t, Context>(context, table.beats());
    widen(context, column_of(table, "rr_s"), rr_s);
    template_numbers(context, column_of(table, "template"), group);
    on_host.emplace(context, rr_s.span());
  }

  const FeatureTable<Context>& table;
  std::span<const float> af_log_odds;
  double most_odds;
  Buffer<double, Context> rr_s;
  Buffer<std::int16_t, Context> group;
  std::optional<OnHost<double, Context>> on_host;  // rr_s
};

// One series of rounds.
template <class Context>
class Rounds {
 public:
  Rounds(Context& context, const RoundInputs<Context>& inputs, double af_weight)
      : context_(context),
        inputs_(inputs),
        options_{.af_weight = af_weight, .most_odds = inputs.most_odds},
        beats_(inputs.table.beats()),
        lists_(context, kRoundLists * beats_) {}

  // Writes the odds of the last round, [kClassOdds][K].
  void run(const ClassSeries& series, std::span<double> odds) {
    for (const ClassTrees& trees : series) {
      if (&trees != &series.front()) make_columns();
      add_up(trees);
    }
    copy<double>(context_, lists_.span().first(odds.size()), odds);
    context_.synchronize();
  }

 private:
  // Adds up the trees of a round. Columns of the round come before those of the table.
  void add_up(const ClassTrees& trees) {
    std::vector<const float*> inputs;
    for (const auto& name : trees.inputs) inputs.push_back(input(name));
    Buffer<double, Context> sums(context_, beats_ * kTreeClasses);
    tree_sums(context_, load_trees(context_, boosted_trees(trees)), inputs, sums);
    round_odds(context_, options_, sums, inputs_.af_log_odds, lists_);
  }

  const float* input(const std::string& name) const {
    static const auto names = made_names();
    const auto place = std::ranges::find(names, name) - names.begin();
    return place < std::ssize(names) && !made_.empty() ? made_.data() + place * beats_
                                                       : column_of(inputs_.table, name).data();
  }

  static std::vector<std::string> made_names() {
    std::vector<std::string> names;
    for (const ColumnText& column : reference_texts()) names.push_back(column.name);
    std::ranges::copy(class_context_names(), std::back_inserter(names));
    return names;
  }

  std::span<double> list(int which) { return lists_.span().subspan(which * beats_, beats_); }

  // Makes the columns that follow from the previous round.
  void make_columns() {
    if (made_.empty()) made_ = Buffer<float, Context>(context_, kMade * beats_);
    const auto made = made_.span();
    make_reference_columns(made.first(features::kReferenceColumns * beats_));
    std::vector<RunningMeans> means;
    for (int c = 0; c < kClassOdds; ++c)
      means.push_back({list(kRoundPosteriors + c), kLocalBeats, list(kRoundMeans + c)});
    running_means(context_, means);
    Buffer<double, Context> sums(context_, (features::kGroups + 1) * kSummedLists);
    features::beat_sums(context_, inputs_.group, lists_.span().first(kSummedLists * beats_), sums);
    context_columns(context_, lists_, inputs_.group, sums, made.last(kContext * beats_));
  }

  // Makes the columns relative to the reference RR interval, from which beats are excluded by their posteriors.
  void make_reference_columns(std::span<float> columns) {
    Buffer<std::uint8_t, Context> flags(context_, beats_);
    excluded_beats(context_, lists_, flags);
    auto excluded = to_host(context_, flags);
    if (static_cast<double>(std::ranges::count(excluded, 1)) > kMostExcluded * static_cast<double>(beats_))
      excluded.clear();
    AcceptedIntervals<Context> accepted(context_, beats_);
    find_accepted<Context>(context_, inputs_.rr_s, *inputs_.on_host, excluded, accepted);
    features::reference_columns(context_, inputs_.rr_s, accepted.lists(), columns);
  }

  Context& context_;
  const RoundInputs<Context>& inputs_;
  RoundOdds options_;
  std::int64_t beats_;
  Buffer<double, Context> lists_;  // [kRoundLists][K]
  Buffer<float, Context> made_;    // [kMade][K]
};

// The two series are independent of each other.
template <class First, class Second>
void run_both(Cpu& cpu, const First& first, const Second& second) {
  run_together([&] { first(cpu); }, [&] { second(cpu); });
}
template <class First, class Second>
void run_both(Cuda& cuda, const First& first, const Second& second) {
  run_concurrently(cuda, first, second);
}

}  // namespace

std::vector<std::string> class_context_names() {
  std::vector<std::string> names;
  for (const std::string name : {"s", "v", "x"})
    for (const char* of :
         {"_share_local", "_share", "_odds_template", "_odds_before2", "_odds_before1", "_odds_after1", "_odds_after2"})
      names.push_back(name + of);
  return names;
}

template <class Context>
std::vector<float> class_posteriors(Context& context, const FeatureTable<Context>& table, const ClassModel& model) {
  const std::int64_t beats = table.beats();
  if (beats == 0) return {};
  const RoundInputs<Context> inputs(context, table, model);
  Buffer<double, Context> noise(context, kClassOdds * beats), clean(context, kClassOdds * beats),
      others(context, 2 * beats);
  run_both(
      context, [&](Context& on) { Rounds<Context>(on, inputs, 0).run(model.noise, noise); },
      [&](Context& on) { Rounds<Context>(on, inputs, model.af_weight).run(model.clean, clean); });
  odds_against_rest(context, noise, others);
  chain_odds<Context>(context, model.chain, others);
  OddsLines lines{};
  for (int c = 0; c < kClassOdds; ++c) {
    lines.slope[c] = model.calibration[c].slope;
    lines.offset[c] = model.calibration[c].offset;
  }
  Buffer<float, Context> posteriors(context, kTreeClasses * beats);
  calibrated_posteriors(context, lines, clean.span().first(beats), others, posteriors);
  return to_host(context, posteriors);
}

#define BEATSCAN_CLASS_POSTERIORS(Context) \
  template std::vector<float> class_posteriors(Context&, const FeatureTable<Context>&, const ClassModel&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_CLASS_POSTERIORS)

}  // namespace beatscan
