#include <cmath>

#include "kernels/runtime/buffer.h"
#include "stages/io/csv/ingest.h"
#include "stages/io/csv/time_cell.h"
#include "stages/io/csv/time_name.h"
#include "tests/fuzz/csv_check.h"
#include "tests/fuzz/support.h"

namespace beatscan::fuzz {
namespace {

struct Read {
  std::vector<float> samples;
  std::optional<double> rate_hz;
  std::vector<std::string> warnings;
  bool operator==(const Read&) const = default;
};

// Requires that chunks of any size give the same. For a column of times there is no second reader to compare with.
void check_chunks(const InputFile& file, const std::string& time_column, std::int64_t chunk_bytes) {
  Cpu cpu(2);
  const auto read = [&](std::int64_t bytes, Read& result) {
    return refusal_of([&] {
      auto recording = ingest(cpu, file, {.time_column = time_column, .chunk_bytes = bytes});
      result = {to_host(cpu, recording.leads.front().samples), recording.signal.sample_rate_hz,
                recording.signal.warnings};
    });
  };
  Read whole, in_chunks;
  const std::string refusal = read(4 << 20, whole);
  require(read(chunk_bytes, in_chunks) == refusal, "chunks change how it is refused: " + refusal);
  require(whole == in_chunks, "chunks change what is read");
  for (const float sample : whole.samples) require(std::isfinite(sample), "a sample that is not finite");
}

}  // namespace

void time(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  for (const auto line : split(text, '\n', 8)) {
    const TimeCell cell = parse_time(line);
    const bool has_value = cell.kind != TimeKind::missing && cell.kind != TimeKind::bad;
    require(std::isfinite(cell.value) == has_value && (has_value || std::isnan(cell.value)), "a time without a value");
    const double unit = time_unit_s(std::string(line));
    require(unit > 0 && unit <= 86400, "a unit out of range");
    states_time(std::string(line));
  }
  const InputFile file(write("x.csv", text));
  for (const char* column : {"", "0"}) check_chunks(file, column, smallest_chunk(text));
}

}  // namespace beatscan::fuzz
