#include "kernels/lists/flags.h"

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {

void both_flags(BackEnd& context, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b,
                std::span<std::uint8_t> both) {
  BEATSCAN_EXPECTS(a.size() == both.size() && b.size() == both.size(), "both_flags: bad shape");
  each(context, std::ssize(both),
       [a = a.data(), b = b.data(), both = both.data()] BEATSCAN_DEVICE(std::int64_t i) { both[i] = a[i] && b[i]; });
}

void flag_equal(BackEnd& context, std::span<const std::uint8_t> codes, std::uint8_t code,
                std::span<std::uint8_t> flags) {
  BEATSCAN_EXPECTS(codes.size() == flags.size(), "flag_equal: bad shape");
  each(context, std::ssize(flags), [=, codes = codes.data(), flags = flags.data()] BEATSCAN_DEVICE(std::int64_t i) {
    flags[i] = codes[i] == code;
  });
}

void add_to_all(BackEnd& context, std::span<const std::int32_t> numbers, std::int32_t addend,
                std::span<std::int32_t> sums) {
  BEATSCAN_EXPECTS(numbers.size() == sums.size(), "add_to_all: bad shape");
  each(context, std::ssize(sums), [=, numbers = numbers.data(), sums = sums.data()] BEATSCAN_DEVICE(std::int64_t i) {
    sums[i] = numbers[i] + addend;
  });
}

}  // namespace beatscan
