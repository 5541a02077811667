#include "app/python/embedded/stages.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/python/caller_memory.h"
#include "app/python/embedded/guarded.h"
#include "app/python/operators.h"

namespace beatscan::operators {
namespace {

Array array_from(const beatscan_array& given) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(std::max(given.dimensions, 0)));
  std::copy_n(given.sizes, std::min(sizes.size(), std::size(given.sizes)), sizes.begin());
  return {static_cast<ArrayType>(given.type), std::move(sizes), given.data};
}

beatscan_array handed_over(const char* name, OwnedArray& array) {
  beatscan_array result{name,
                        array.memory.release(),
                        {},
                        static_cast<std::int32_t>(array.sizes.size()),
                        static_cast<std::int32_t>(array.type)};
  std::ranges::copy(array.sizes, result.sizes);
  return result;
}

void operate(const Call& call, beatscan_array* results, std::int32_t& count) {
  auto found = run_operator(call);
  if (std::ssize(found) > count)
    fail(ErrorKind::usage, call.name, "has " + std::to_string(found.size()) + " results; give room for them");
  count = static_cast<std::int32_t>(found.size());
  for (auto& [name, array] : found) *results++ = handed_over(name, array);
}

}  // namespace
}  // namespace beatscan::operators

extern "C" {

const char* beatscan_operators() noexcept {
#ifdef BEATSCAN_WITH_CUDA
  constexpr bool kHasCuda = true;
#else
  constexpr bool kHasCuda = false;
#endif
  static const std::string text =
      beatscan::text_of({{"operators", beatscan::operators::schemas()}, {"cuda", kHasCuda}});
  return text.c_str();
}

int beatscan_operate(const char* name, const char* arguments, const beatscan_array* arrays, std::int32_t arrays_count,
                     const beatscan_place* place, beatscan_array* results, std::int32_t* results_count, char* message,
                     std::size_t size) noexcept {
  using namespace beatscan;
  return guarded(message, size, [&] {
    const Json json = Json::parse(arguments);
    operators::Call call{name, json, {}, {place->device, static_cast<CUstream_st*>(place->stream), place->threads}};
    for (std::int32_t i = 0; i < arrays_count; ++i) call.arrays[arrays[i].name] = operators::array_from(arrays[i]);
    operators::operate(call, results, *results_count);
    return ExitStatus::ok;
  });
}

void beatscan_free(void* data) noexcept { beatscan::Cpu(1).deallocate(data, 0); }

void beatscan_use_allocator(void* (*allocate)(std::size_t, int, void*), void (*deallocate)(void*),
                            std::int64_t (*used_bytes)(int)) noexcept {
  beatscan::operators::use_allocator({allocate, deallocate, used_bytes});
}
}
