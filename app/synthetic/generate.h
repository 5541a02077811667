// app/synthetic/generate.h — a synthetic recording of any length as CSV, with its truth file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace beatscan {

class Cpu;

enum class GenerateStyle {
  decimal3,    // -0.430                     20 M samples are about 126 MB
  decimal6,    // -0.430000                  186 MB
  exponent18,  // -4.300000071525573730e-01  506 MB: every digit of the float32 and more, as numpy.savetxt writes
};
std::optional<GenerateStyle> generate_style(std::string_view name);

struct GenerateOptions {
  std::int64_t samples = 0;
  double sample_rate_hz = 250;
  double abnormal_share = 0.02;  // share of premature ventricular contractions (V); the other beats are N
  std::uint64_t seed = 1;
  GenerateStyle style = GenerateStyle::decimal3;
};

struct GenerateResult {
  std::filesystem::path truth_path;
  std::int64_t bytes = 0;  // the size of the CSV file
  std::int64_t beats = 0, abnormal_beats = 0;
};

// Writes two files. The bytes depend only on the options, not on the number of threads.
//   NAME.csv        the column `heartbeats` in mV
//   NAME.truth.csv  the columns `sample`, the R peak, and `symbol`
// Throws ErrorKind::usage for options out of range. Throws ErrorKind::output, and leaves neither file, if one cannot be
// written, or exists and `force` is not set.
GenerateResult generate(const Cpu& cpu, const GenerateOptions& options, const std::filesystem::path& path,
                        bool force = false);

// Writes the text of a sample to `out`, without a line end, and returns its end.
inline constexpr int kLongestSample = 64;
char* format_sample(float mV, GenerateStyle style, char* out);

}  // namespace beatscan
