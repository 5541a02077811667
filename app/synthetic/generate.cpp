#include "app/synthetic/generate.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "app/common/partial_file.h"
#include "app/synthetic/synthetic.h"
#include "kernels/machine/condition_variable.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"

namespace beatscan {
namespace {

constexpr std::string_view kHeader = "heartbeats\n";
constexpr std::int64_t kBlockSamples = 1 << 16;  // at most 1.7 MB of text, which stays in a core's cache

void check(const GenerateOptions& options, const std::filesystem::path& path) {
  const auto require = [](bool good, const char* what) {
    if (!good) throw Error(ErrorKind::usage, what);
  };
  // The beats of 10^10 samples are about 1.4 GB in memory.
  require(options.samples >= 1 && options.samples <= 10'000'000'000, "--samples must be from 1 to 10000000000");
  require(options.sample_rate_hz >= 50 && options.sample_rate_hz <= 10'000, "--rate must be from 50 to 10000 Hz");
  require(options.abnormal_share >= 0 && options.abnormal_share <= 1, "--abnormal must be a share from 0 to 1");
  if (path.extension() != ".csv")
    throw Error(ErrorKind::usage, "'" + path.string() + "' does not end in .csv; give --out NAME.csv");
}

// Writes the text of a block. Its memory is reused for the next block.
class BlockText {
 public:
  std::string_view make(const SyntheticEcg& ecg, GenerateStyle style, std::int64_t block) {
    const std::int64_t first = block * kBlockSamples;
    const std::span<float> samples(mV_.data(),
                                   static_cast<std::size_t>(std::min(kBlockSamples, ecg.samples() - first)));
    ecg.render(first, samples);
    char* end = text_.data();
    for (const float value : samples) {
      end = format_sample(value, style, end);
      *end++ = '\n';
    }
    return {text_.data(), end};
  }

 private:
  std::vector<float> mV_ = std::vector<float>(kBlockSamples);
  std::vector<char> text_ = std::vector<char>(kBlockSamples * (kLongestSample + 1));
};

// Generates the text of all blocks on all threads and writes it in order. A thread takes the next block, generates its
// text, waits for its turn and writes it. So each thread has one block in memory, and the others work while one writes.
class OrderedWriter {
 public:
  OrderedWriter(PartialFile& file, const SyntheticEcg& ecg, GenerateStyle style)
      : file_(file), ecg_(ecg), style_(style), blocks_((ecg.samples() + kBlockSamples - 1) / kBlockSamples) {}

  std::int64_t run(int threads) {
    {
      std::vector<std::jthread> others;
      for (int i = 1; i < std::min<std::int64_t>(threads, blocks_); ++i) others.emplace_back([this] { work(); });
      work();
    }
    if (error_) std::rethrow_exception(error_);
    return bytes_;
  }

 private:
  void work() {
    try {
      BlockText memory;
      for (std::int64_t block; (block = next_.fetch_add(1)) < blocks_;) {
        throw_if_interrupted();
        const auto text = memory.make(ecg_, style_, block);
        if (!wait_for_turn(block)) return;
        file_.write(text);
        finish_turn(text.size());
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      turn_.notify_all();
    }
  }

  bool wait_for_turn(std::int64_t block) {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return error_ || due_ == block; });
    return !error_;
  }

  void finish_turn(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    bytes_ += static_cast<std::int64_t>(bytes);
    ++due_;
    turn_.notify_all();
  }

  PartialFile& file_;
  const SyntheticEcg& ecg_;
  const GenerateStyle style_;
  const std::int64_t blocks_;
  std::atomic<std::int64_t> next_ = 0;  // next block to generate
  std::mutex mutex_;
  std::condition_variable turn_;
  std::int64_t due_ = 0;  // next block to write
  std::int64_t bytes_ = 0;
  std::exception_ptr error_;
};

void write_truth(const SyntheticEcg& ecg, PartialFile& file, GenerateResult& result) {
  std::string text = "sample,symbol\n";
  for (const auto& beat : ecg.beats()) {
    const auto sample = ecg.r_peak_sample(beat);
    if (sample >= ecg.samples()) break;
    text += std::to_string(sample) + (beat.is_pvc ? ",V\n" : ",N\n");
    ++result.beats;
    result.abnormal_beats += beat.is_pvc;
    if (text.size() > 1 << 20) {
      file.write(text);
      text.clear();
    }
  }
  file.write(text);
}

// Gives both files their names, which cannot happen in one step. If the program is killed meanwhile, there is a signal
// with its truth, or one of the two files: never a signal with the truth of another.
void put_in_place(PartialFile& signal_file, PartialFile& truth_file, const std::filesystem::path& signal,
                  const std::filesystem::path& truth) {
  signal_file.sync();  // if this fails, the earlier files are still there
  truth_file.sync();
  std::error_code ignored;
  std::filesystem::remove(truth, ignored);
  signal_file.commit();
  try {
    truth_file.commit();
  } catch (...) {
    std::filesystem::remove(signal, ignored);
    throw;
  }
}

}  // namespace

std::optional<GenerateStyle> generate_style(std::string_view name) {
  if (name == "decimal3") return GenerateStyle::decimal3;
  if (name == "decimal6") return GenerateStyle::decimal6;
  if (name == "exponent18") return GenerateStyle::exponent18;
  return std::nullopt;
}

// Widens the float to double and rounds it as printf does. to_chars with a precision is exact and three times as fast.
char* format_sample(float mV, GenerateStyle style, char* out) {
  const auto format = style == GenerateStyle::exponent18 ? std::chars_format::scientific : std::chars_format::fixed;
  const int digits = style == GenerateStyle::exponent18 ? 18 : style == GenerateStyle::decimal6 ? 6 : 3;
  return std::to_chars(out, out + kLongestSample, static_cast<double>(mV), format, digits).ptr;
}

GenerateResult generate(const Cpu& cpu, const GenerateOptions& options, const std::filesystem::path& path, bool force) {
  check(options, path);
  GenerateResult result;
  result.truth_path = std::filesystem::path(path).replace_extension(".truth.csv");
  check_writable(path, force);
  check_writable(result.truth_path, force);
  PartialFile signal_file(path), truth_file(result.truth_path);

  const SyntheticEcg ecg(options.samples, options.sample_rate_hz, options.abnormal_share, options.seed);
  write_truth(ecg, truth_file, result);
  signal_file.write(kHeader);
  OrderedWriter writer(signal_file, ecg, options.style);
  result.bytes = std::ssize(kHeader) + writer.run(cpu.threads());

  put_in_place(signal_file, truth_file, path, result.truth_path);
  return result;
}

}  // namespace beatscan
