#include "app/csv_files.h"

#include <charconv>

#include "kernels/parallel.h"

namespace beatscan {
namespace {

// Text in pieces, numbers in their shortest form that reads back the same.
class Row {
 public:
  explicit Row(std::string& text) : text_(text) {}
  ~Row() { text_.back() = '\n'; }

  Row& cell(std::string_view value) {
    text_ += value;
    text_ += ',';
    return *this;
  }
  Row& empty() { return cell(""); }
  Row& number(std::int64_t value) { return converted(value); }
  Row& number(float value) { return converted(value); }
  Row& seconds(std::optional<double> value) { return value ? converted(*value, std::chars_format::fixed, 6) : empty(); }

 private:
  template <class... Arguments>
  Row& converted(Arguments... arguments) {
    char digits[400];
    return cell({digits, std::to_chars(digits, digits + sizeof digits, arguments...).ptr});
  }
  std::string& text_;
};

std::string beats_header(int latents) {
  std::string header = "beat,sample,time_s,rr_prev_s,rr_next_s,length_samples,kept,split,reconstruction_error,kl,";
  for (int z = 0; z < latents; ++z) header += "latent_" + std::to_string(z) + ",";
  return header + "score,anomalous\n";
}

// The seconds from a beat to the next.
std::optional<double> interval_s(const RunResult& result, std::int64_t beat) {
  // Over a gap there may be beats that nobody saw.
  if (beat < 0 || beat + 1 >= std::ssize(result.starts) || result.fates[beat] == Fate::in_gap || !result.sample_rate_hz)
    return std::nullopt;
  return static_cast<double>(result.starts[beat + 1] - result.starts[beat]) / *result.sample_rate_hz;
}

// row: of the beat among the kept ones, if it is one.
void append_beat(const RunResult& result, int latents, std::int64_t beat, std::int64_t row, std::string& text) {
  const std::int64_t sample = result.starts[beat] + result.peak_offset;
  Row line(text);
  line.number(beat).number(sample);
  line.seconds(result.sample_rate_hz ? std::optional(static_cast<double>(sample) / *result.sample_rate_hz)
                                     : std::nullopt);
  line.seconds(interval_s(result, beat - 1)).seconds(interval_s(result, beat));
  if (beat + 1 < std::ssize(result.starts))
    line.number(result.starts[beat + 1] - result.starts[beat]);
  else
    line.empty();
  if (result.fates[beat] != Fate::kept) {
    line.cell("0");
    for (int i = 0; i < latents + 5; ++i) line.empty();
    return;
  }
  line.cell("1").cell(result.training.in_train[row] ? "train" : "test");
  line.number(result.row_scores.reconstruction_error[row]).number(result.row_scores.kl[row]);
  for (int z = 0; z < latents; ++z) line.number(result.row_scores.latents[row * latents + z]);
  line.number(result.scores.score[row]).cell(result.scores.anomalous[row] ? "1" : "0");
}

}  // namespace

int latents_of(const RunResult& result) {
  return static_cast<int>(result.row_scores.latents.size() / std::max<std::size_t>(result.kept.size(), 1));
}

// A day has 100,000 beats, which take one thread 30 ms: several write a part each.
std::string beats_csv(const RunResult& result) {
  const int latents = latents_of(result);
  const auto beats = std::ssize(result.starts);
  std::vector<std::int64_t> rows(beats);
  for (std::int64_t beat = 0, row = 0; beat < beats; ++beat) {
    rows[beat] = row;
    row += result.fates[beat] == Fate::kept;
  }
  constexpr std::int64_t kPartBeats = 4096;
  std::vector<std::string> parts((beats + kPartBeats - 1) / kPartBeats);
  parallel_for(Cpu(), std::ssize(parts), 1, [&](std::int64_t first_part, std::int64_t last_part) {
    for (std::int64_t part = first_part; part < last_part; ++part) {
      parts[part].reserve(kPartBeats * 128);
      for (std::int64_t beat = part * kPartBeats; beat < std::min((part + 1) * kPartBeats, beats); ++beat)
        append_beat(result, latents, beat, rows[beat], parts[part]);
    }
  });
  std::string text = beats_header(latents);
  std::size_t size = text.size();
  for (const auto& part : parts) size += part.size();
  text.reserve(size);
  for (const auto& part : parts) text += part;
  return text;
}

std::string generated_csv(const RunResult& result) {
  std::string text;
  {
    Row header(text);
    for (std::int64_t point = 0; point < result.row_points; ++point)
      header.cell(std::string("p") += std::to_string(point));
  }
  for (std::size_t i = 0; i < result.training.generated.size();) {
    Row line(text);
    for (std::int64_t point = 0; point < result.row_points; ++point) line.number(result.training.generated[i++]);
  }
  return text;
}

}  // namespace beatscan
