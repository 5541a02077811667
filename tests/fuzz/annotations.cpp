#include "app/evaluation/truth.h"
#include "app/evaluation/wave_truth.h"
#include "tests/fuzz/support.h"

namespace beatscan::fuzz {
namespace {

void check(const std::filesystem::path& path, const SignalClock& clock) {
  refusal_of([&] {
    std::int64_t before = 0;
    for (const auto& [sample, symbol] : read_truth(path, clock)) {
      require(sample >= before, "a beat before the start, or out of order");
      require(class_of(symbol).has_value(), "a symbol that is no beat");
      before = sample;
    }
  });
  refusal_of([&] {
    const auto truth = read_wave_truth(path, clock, 360);
    if (!truth) return;
    for (const auto& [type, onset_us, peak_us, end_us] : truth->waves)
      require(onset_us.value_or(peak_us) <= peak_us && peak_us <= end_us.value_or(peak_us), "a wave out of order");
  });
}

}  // namespace

void annotations(Bytes bytes) {
  for (const char* name : {"x.atr", "x.csv"}) {
    const auto path = write(name, text_of(bytes));
    check(path, {});
    check(path, {.sample_rate_hz = 360, .samples_per_frame = 4});
  }
}

}  // namespace beatscan::fuzz
