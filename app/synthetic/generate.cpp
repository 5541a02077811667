#include "app/synthetic/generate.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <exception>
#include <mutex>
#include <numbers>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "app/common/partial_file.h"
#include "kernels/machine/condition_variable.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"

namespace beatscan {

namespace {

constexpr double kTau = 2 * std::numbers::pi;

constexpr double kMeanRr_s = 0.695;
constexpr double kBreath_hz = 0.27;
constexpr double kSlowWave_hz = 0.061;
constexpr double kDrift_hz = 0.043;
constexpr double kNoise_mV = 0.012;

struct Wave {
  double amplitude_mV, centre_s, width_s;  // the centre is relative to the R peak; the width is the standard deviation
  bool is_t;                               // moves with the heart rate
};
constexpr std::array<Wave, 5> kNormalWaves = {{{0.12, -0.180, 0.028, false},
                                               {-0.12, -0.032, 0.010, false},
                                               {1.10, 0.000, 0.012, false},
                                               {-0.22, 0.032, 0.011, false},
                                               {0.30, 0.248, 0.056, true}}};
constexpr std::array<Wave, 2> kPvcWaves = {{{1.50, 0.000, 0.040, false}, {-0.50, 0.190, 0.070, true}}};
constexpr double kWaveReach = 5;  // in widths; a wave is 4e-6 of its amplitude where it is cut off

// The maximum extent of a beat before and after its R peak, with a margin for late T waves.
constexpr double kReachBefore_s = 0.35, kReachAfter_s = 0.75;

enum Purpose : std::uint64_t { kPhase, kIsPvc, kJitter, kPrematurity, kAmplitude, kNoise };

// SplitMix64 (Steele, Lea, Flood 2014) used as a hash: returns the number with this index in the stream with this key.
constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
std::uint64_t split_mix(std::uint64_t key, std::uint64_t index) {
  std::uint64_t x = key + (index + 1) * kGolden;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

std::uint64_t stream_key(std::uint64_t seed, Purpose purpose) { return split_mix(split_mix(seed, 0), purpose); }

// A random number in [0, 1).
double uniform(std::uint64_t key, std::uint64_t index) {
  return static_cast<double>(split_mix(key, index) >> 11) * 0x1p-53;
}

// A random number with mean 0 and variance 1, within ±3.47: the sum of the four 16-bit parts of one random word. It is
// close enough to a Gaussian, and has no outliers that would make non-physiological intervals.
double bell(std::uint64_t key, std::uint64_t index) {
  const std::uint64_t word = split_mix(key, index);
  const auto sum = (word & 0xFFFF) + (word >> 16 & 0xFFFF) + (word >> 32 & 0xFFFF) + (word >> 48);
  return (static_cast<double>(sum) - 2 * 65535.0) * (std::numbers::sqrt3 / 65536);
}

}  // namespace

SyntheticEcg::SyntheticEcg(std::int64_t samples, double sample_rate_hz, double pvc_share, std::uint64_t seed)
    : samples_(samples), sample_rate_hz_(sample_rate_hz), seed_(seed) {
  BEATSCAN_EXPECTS(samples >= 0 && sample_rate_hz > 0 && pvc_share >= 0 && pvc_share <= 1, "SyntheticEcg: bad options");
  for (std::size_t i = 0; i < phases_.size(); ++i) phases_[i] = kTau * uniform(stream_key(seed_, kPhase), i);
  plan_beats(pvc_share);
}

void SyntheticEcg::plan_beats(double pvc_share) {
  const auto is_pvc_key = stream_key(seed_, kIsPvc), jitter_key = stream_key(seed_, kJitter);
  const auto prematurity_key = stream_key(seed_, kPrematurity), amplitude_key = stream_key(seed_, kAmplitude);
  const double end_s = static_cast<double>(samples_) / sample_rate_hz_ + kReachBefore_s;
  double time_s = 0, pause_factor = 1;
  for (std::uint64_t i = 0;; ++i) {
    const double sinus_rr_s = kMeanRr_s * (1 + 0.04 * std::sin(kTau * kBreath_hz * time_s) +
                                           0.03 * std::sin(kTau * kSlowWave_hz * time_s) + 0.03 * bell(jitter_key, i));
    const bool is_pvc = uniform(is_pvc_key, i) < pvc_share;
    const double rr_factor = is_pvc ? 0.62 + 0.16 * uniform(prematurity_key, i) : pause_factor;
    // The sinus node keeps its rhythm: the next normal beat is delayed by the prematurity of the PVC.
    pause_factor = is_pvc ? 2 - rr_factor : 1;
    time_s += sinus_rr_s * rr_factor;
    if (time_s >= end_s) return;
    beats_.push_back({time_s, static_cast<float>(1 + 0.05 * bell(amplitude_key, i)),
                      static_cast<float>(std::sqrt(sinus_rr_s / 0.7)), is_pvc});
  }
}

std::int64_t SyntheticEcg::r_peak_sample(const SyntheticBeat& beat) const {
  return std::llround(beat.r_peak_s * sample_rate_hz_);
}

void SyntheticEcg::add_beat(const SyntheticBeat& beat, std::int64_t first, std::span<double> mV) const {
  const auto waves = beat.is_pvc ? std::span<const Wave>(kPvcWaves) : std::span<const Wave>(kNormalWaves);
  for (const auto& wave : waves) {
    const double centre_s = beat.r_peak_s + wave.centre_s * (wave.is_t ? beat.qt_factor : 1);
    const double reach_s = kWaveReach * wave.width_s;
    const auto begin = static_cast<std::int64_t>(std::ceil((centre_s - reach_s) * sample_rate_hz_)) - first;
    const auto end = static_cast<std::int64_t>(std::floor((centre_s + reach_s) * sample_rate_hz_)) + 1 - first;
    const double amplitude_mV = wave.amplitude_mV * beat.amplitude;
    for (auto i = std::max<std::int64_t>(begin, 0); i < std::min<std::int64_t>(end, std::ssize(mV)); ++i) {
      const double u = (static_cast<double>(first + i) / sample_rate_hz_ - centre_s) / wave.width_s;
      mV[static_cast<std::size_t>(i)] += amplitude_mV * std::exp(-0.5 * u * u);
    }
  }
}

// The baseline, with respiration and electrode drift. The offset makes about 3 samples in 10 negative, as in many real
// recordings. This matters because a sign is a byte of the file.
double SyntheticEcg::baseline_mV(double time_s) const {
  return -0.005 + 0.05 * std::sin(kTau * kBreath_hz * time_s + phases_[0]) +
         0.04 * std::sin(kTau * kDrift_hz * time_s + phases_[1]);
}

void SyntheticEcg::render(std::int64_t first, std::span<float> mV) const {
  // The order in which a sample's terms are added does not depend on where the range starts.
  std::vector<double> sum(mV.size());
  const double begin_s = static_cast<double>(first) / sample_rate_hz_ - kReachAfter_s;
  const double end_s = static_cast<double>(first + std::ssize(mV)) / sample_rate_hz_ + kReachBefore_s;
  auto beat = std::partition_point(beats_.begin(), beats_.end(), [&](const auto& b) { return b.r_peak_s < begin_s; });
  for (; beat != beats_.end() && beat->r_peak_s < end_s; ++beat) add_beat(*beat, first, sum);

  const auto noise_key = stream_key(seed_, kNoise);
  for (std::size_t i = 0; i < mV.size(); ++i) {
    const auto sample = first + static_cast<std::int64_t>(i);
    const double noise_mV = kNoise_mV * bell(noise_key, static_cast<std::uint64_t>(sample));
    mV[i] = static_cast<float>(sum[i] + baseline_mV(static_cast<double>(sample) / sample_rate_hz_) + noise_mV);
  }
}

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
