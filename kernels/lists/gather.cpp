#include "kernels/lists/gather.h"

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

void flag_above(BackEnd& context, std::span<const float> values, float limit, std::span<std::uint8_t> flags) {
  BEATSCAN_EXPECTS(values.size() == flags.size(), "flag_above: bad shape");
  each(context, std::ssize(flags), [=, values = values.data(), flags = flags.data()] BEATSCAN_DEVICE(std::int64_t i) {
    flags[i] = values[i] > limit;
  });
}

void add_to_all(BackEnd& context, std::span<const std::int32_t> numbers, std::int32_t addend,
                std::span<std::int32_t> sums) {
  BEATSCAN_EXPECTS(numbers.size() == sums.size(), "add_to_all: bad shape");
  each(context, std::ssize(sums), [=, numbers = numbers.data(), sums = sums.data()] BEATSCAN_DEVICE(std::int64_t i) {
    sums[i] = numbers[i] + addend;
  });
}

template <class T>
void gather(BackEnd& context, std::span<const T> values, std::span<const std::int64_t> indices, std::span<T> chosen) {
  BEATSCAN_EXPECTS(indices.size() == chosen.size(), "gather: bad shape");
  each(context, std::ssize(indices),
       [values = values.data(), indices = indices.data(), chosen = chosen.data()] BEATSCAN_DEVICE(std::int64_t i) {
         chosen[i] = values[indices[i]];
       });
}
template void gather(BackEnd&, std::span<const float>, std::span<const std::int64_t>, std::span<float>);
template void gather(BackEnd&, std::span<const double>, std::span<const std::int64_t>, std::span<double>);
template void gather(BackEnd&, std::span<const std::uint8_t>, std::span<const std::int64_t>, std::span<std::uint8_t>);
template void gather(BackEnd&, std::span<const std::int64_t>, std::span<const std::int64_t>, std::span<std::int64_t>);

void evenly_spread(BackEnd& context, std::span<const std::int64_t> list, std::span<std::int64_t> chosen) {
  BEATSCAN_EXPECTS(chosen.size() <= list.size(), "evenly_spread: more elements asked for than the list has");
  const std::int64_t size = std::ssize(list), count = std::ssize(chosen);
  each(context, count, [=, list = list.data(), chosen = chosen.data()] BEATSCAN_DEVICE(std::int64_t i) {
    chosen[i] = list[i * size / count];
  });
}

void narrow(BackEnd& context, std::span<const std::int64_t> numbers, std::span<std::int32_t> narrow) {
  BEATSCAN_EXPECTS(numbers.size() == narrow.size(), "narrow: bad shape");
  each(context, std::ssize(numbers),
       [numbers = numbers.data(), narrow = narrow.data()] BEATSCAN_DEVICE(std::int64_t i) {
         narrow[i] = static_cast<std::int32_t>(numbers[i]);
       });
}

void narrow(BackEnd& context, std::span<const double> values, std::span<float> narrow) {
  BEATSCAN_EXPECTS(values.size() == narrow.size(), "narrow: bad shape");
  each(context, std::ssize(values), [values = values.data(), narrow = narrow.data()] BEATSCAN_DEVICE(std::int64_t i) {
    narrow[i] = static_cast<float>(values[i]);
  });
}

}  // namespace beatscan
