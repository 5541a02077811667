#include "app/python/arrays.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "app/python/caller_memory.h"
#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/gaps.h"
#include "stages/common/counted.h"
#include "stages/io/recording/leads.h"

namespace beatscan::operators {

namespace {

template <class T>
constexpr ArrayType kTypeOf = std::is_same_v<T, float>          ? ArrayType::float32
                              : std::is_same_v<T, double>       ? ArrayType::float64
                              : std::is_same_v<T, std::int64_t> ? ArrayType::int64
                              : std::is_same_v<T, bool>         ? ArrayType::boolean
                                                                : ArrayType::uint8;
template <class T>
constexpr const char* kNameOf = std::is_same_v<T, float>    ? "float32"
                                : std::is_same_v<T, double> ? "float64"
                                                            : "uint8";

// Frees memory of a context that was handed over.
template <class Context>
void free_handed_over(void* memory) {
  if constexpr (std::is_same_v<Context, Cpu>)
    Cpu(1).deallocate(memory, 0);
  else
    free_callers_memory(memory);
}

template <class T>
std::span<const T> memory_of(const Array& array, const char* name) {
  if (array.type != kTypeOf<T>)
    fail(ErrorKind::usage, name, std::string("has values of another type; give ") + kNameOf<T>);
  return {static_cast<const T*>(array.data), static_cast<std::size_t>(elements_of(array))};
}

}  // namespace

std::int64_t elements_of(const Array& array) {
  return std::accumulate(array.sizes.begin(), array.sizes.end(), std::int64_t{1}, std::multiplies<>());
}

template <class T>
std::span<const T> span_of(const Array& array, const char* name) {
  if (array.dim() != 1)
    fail(ErrorKind::usage, name, "has " + std::to_string(array.dim()) + " dimensions; give one recording, of one");
  return memory_of<T>(array, name);
}

template <class T>
std::vector<std::span<const T>> rows_of(const Array& array, const char* name) {
  if (array.dim() != 1 && array.dim() != 2)
    fail(ErrorKind::usage, name,
         "has " + std::to_string(array.dim()) + " dimensions; give samples [N], or leads by row [L, N]");
  const auto all = memory_of<T>(array, name);
  const std::size_t count = array.dim() == 1 ? 1 : static_cast<std::size_t>(array.sizes[0]);
  std::vector<std::span<const T>> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(all.subspan(i * (all.size() / count), all.size() / count));
  return rows;
}

template std::span<const float> span_of(const Array&, const char*);
template std::span<const double> span_of(const Array&, const char*);
template std::span<const std::uint8_t> span_of(const Array&, const char*);
template std::vector<std::span<const float>> rows_of(const Array&, const char*);
template std::vector<std::span<const std::uint8_t>> rows_of(const Array&, const char*);

template <class T, class Context>
OwnedArray array_of(const Context&, Buffer<T, Context> buffer, const std::vector<std::int64_t>& sizes) {
  return {kTypeOf<T>, sizes, {buffer.hand_over(), free_handed_over<Context>}};
}

#define BEATSCAN_ARRAY_OF(T, Context) \
  template OwnedArray array_of(const Context&, Buffer<T, Context>, const std::vector<std::int64_t>&);
#define BEATSCAN_ARRAYS_OF(Context)        \
  BEATSCAN_ARRAY_OF(float, Context)        \
  BEATSCAN_ARRAY_OF(double, Context)       \
  BEATSCAN_ARRAY_OF(std::int64_t, Context) \
  BEATSCAN_ARRAY_OF(std::uint8_t, Context) \
  BEATSCAN_ARRAY_OF(bool, Context)
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_ARRAYS_OF)

}  // namespace beatscan::operators

#ifdef BEATSCAN_WITH_CUDA
#include <map>
#include <mutex>
#include <vector>

#include "kernels/runtime/current_device.h"

namespace beatscan::operators {
namespace {

// The contexts that no call is using, by device and stream: at most as many as there were concurrent calls.
struct IdleContexts {
  std::mutex mutex;
  std::map<std::pair<int, CUstream_st*>, std::vector<std::unique_ptr<Cuda>>> idle;
};

IdleContexts& idle_contexts() {
  static IdleContexts& contexts = *new IdleContexts;  // never destroyed: CUDA may have shut down by then
  return contexts;
}

}  // namespace

BorrowedCuda::BorrowedCuda(const Place& place) {
  auto& contexts = idle_contexts();
  {
    const std::lock_guard lock(contexts.mutex);
    auto& idle = contexts.idle[{place.device, place.stream}];
    if (!idle.empty()) {
      context_ = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (!context_) context_ = std::make_unique<Cuda>(place.device, place.stream, callers_memory(place.device));
  make_current(*context_);  // the guard of a new thread does not, if the device is the first
}

BorrowedCuda::~BorrowedCuda() {
  auto& contexts = idle_contexts();
  const std::lock_guard lock(contexts.mutex);
  contexts.idle[{context_->device(), context_->stream()}].push_back(std::move(context_));
}

}  // namespace beatscan::operators
#endif

namespace beatscan::operators {

namespace {

template <class Context>
std::int64_t missing_in(Context& context, std::span<const float> row) {
  Buffer<std::uint32_t, Context> missing(context, words_for(std::ssize(row)));
  mark_missing(context, row, missing);
  return positions(context, missing, Pick::every).size();
}

// Makes a lead from a row, in the array's memory; in a copy if samples are missing.
template <class Context>
RecordedLead<Context> lead_of(Context& context, std::string name, std::span<const float> row) {
  RecordedLead<Context> lead{.name = std::move(name)};
  lead.missing = missing_in(context, row);
  if (lead.missing == 0) {  // nothing is bridged, so nobody writes into the array
    lead.samples = Buffer<float, Context>::borrowed({const_cast<float*>(row.data()), row.size()});
  } else {
    lead.samples = Buffer<float, Context>(context, std::ssize(row));
    copy(context, row, lead.samples.span());
  }
  return lead;
}

[[noreturn]] void throw_infinite(const std::string& row, bool several) {
  fail(ErrorKind::unanalysable, "x", (several ? "row " + row + " " : "") + "holds infinite values");
}

template <class Context>
void check_range(const RecordedLead<Context>& lead, bool several) {
  const auto [min, max] = lead.range;
  if (!std::isfinite(min) || !std::isfinite(max)) throw_infinite(lead.name, several);
  if (min == max) fail(ErrorKind::unanalysable, "x", "flat: all samples are " + std::to_string(min));
}

// Throws if a row that was skipped as flat is infinite.
template <class Context>
void check_left_out(Context& context, const Recording<Context>& recording,
                    const std::vector<std::span<const float>>& rows) {
  const auto read = rows_of_leads(recording);
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (std::ranges::find(read, row) == read.end() &&
        std::ranges::any_of(to_host(context, rows[row]), [](float value) { return std::isinf(value); }))
      throw_infinite(std::to_string(row), true);
}

Quality quality_of_code(std::uint8_t code) {
  if (code > static_cast<std::uint8_t>(Quality::missing))
    fail(ErrorKind::usage, "blocks", std::to_string(code) + " is not a code of find_beats");
  return static_cast<Quality>(code);
}

}  // namespace

template <class Context>
Recording<Context> recording_of(Context& context, const Array& x, std::optional<double> rate_hz) {
  const auto rows = rows_of<float>(x, "x");
  const auto leads = rows.size(), most = kMostLeads;
  if (leads == 0 || leads > most)
    fail(ErrorKind::usage, "x", "has " + std::to_string(leads) + " leads; give 1 to " + std::to_string(most));
  const auto n = std::ssize(rows.front());
  if (n < 2) fail(ErrorKind::unanalysable, "x", "too short: " + counted(n, "sample"));
  Recording<Context> recording;
  recording.signal.sample_rate_hz = rate_hz;
  for (std::size_t i = 0; i < leads; ++i) recording.leads.push_back(lead_of(context, std::to_string(i), rows[i]));
  if (std::ranges::all_of(recording.leads, [&](const auto& lead) { return lead.missing == n; }))
    fail(ErrorKind::unanalysable, "x", "no sample has a value");
  bridge_and_measure(context, recording, "x");
  for (const auto& lead : recording.leads) check_range(lead, leads > 1);
  check_left_out(context, recording, rows);
  recording.signal.name = "x";  // for error messages about all leads
  return recording;
}

template <class Context>
std::vector<std::int64_t> rows_of_leads(const Recording<Context>& recording) {
  std::vector<std::int64_t> rows;
  for (const auto& lead : recording.leads) rows.push_back(std::stoll(lead.name));
  return rows;
}

std::vector<std::int64_t> sizes_by_lead(const Array& x, std::vector<std::int64_t> sizes) {
  if (x.dim() == 2) sizes.insert(sizes.begin(), x.sizes[0]);
  return sizes;
}

template <class Context>
OwnedArray blocks_of(Context& context, const Array& x, const Recording<Context>& recording,
                     const std::vector<SignalQuality>& leads) {
  const auto signals = rows_of<float>(x, "x");
  const std::size_t count = leads.empty() ? 0 : leads.front().blocks.size();
  const auto lead_rows = rows_of_leads(recording);
  std::vector<std::uint8_t> codes;
  for (std::size_t row = 0; row < signals.size(); ++row) {
    const auto lead = static_cast<std::size_t>(std::ranges::find(lead_rows, row) - lead_rows.begin());
    std::vector<Quality> blocks(count, Quality::flat);
    if (lead < leads.size())
      blocks = leads[lead].blocks;
    else if (count > 0 && missing_in(context, signals[row]) == std::ssize(signals[row]))
      std::ranges::fill(blocks, Quality::missing);
    std::ranges::copy(codes_of(blocks), std::back_inserter(codes));
  }
  return array_of(context, from_host(context, codes), sizes_by_lead(x, {static_cast<std::int64_t>(count)}));
}

template <class Context>
std::vector<std::vector<Quality>> blocks_in(Context& context, const Array& x, const Array& blocks,
                                            const Recording<Context>& recording) {
  if (blocks.dim() != x.dim() || (x.dim() == 2 && blocks.sizes[0] != x.sizes[0]))
    fail(ErrorKind::usage, "blocks",
         "is of another shape than those that find_beats returns: " +
             (x.dim() == 1 ? std::string("give blocks [B]")
                           : "give blocks by row [L, B] of all " + counted(x.sizes[0], "lead")));
  const auto rows = rows_of<std::uint8_t>(blocks, "blocks");
  std::vector<std::vector<Quality>> of_leads;
  for (const std::int64_t row : rows_of_leads(recording)) {
    const auto codes = to_host(context, rows[static_cast<std::size_t>(row)]);
    std::ranges::transform(codes, std::back_inserter(of_leads.emplace_back()), quality_of_code);
  }
  return of_leads;
}

std::vector<std::uint8_t> codes_of(const std::vector<Quality>& quality) {
  std::vector<std::uint8_t> codes;
  for (const Quality of_block : quality) codes.push_back(static_cast<std::uint8_t>(of_block));
  return codes;
}

#define BEATSCAN_LEADS_ON(Context)                                                                                     \
  template Recording<Context> recording_of(Context&, const Array&, std::optional<double>);                             \
  template std::vector<std::int64_t> rows_of_leads(const Recording<Context>&);                                         \
  template OwnedArray blocks_of(Context&, const Array&, const Recording<Context>&, const std::vector<SignalQuality>&); \
  template std::vector<std::vector<Quality>> blocks_in(Context&, const Array&, const Array&, const Recording<Context>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_LEADS_ON)

}  // namespace beatscan::operators
