#include "kernels/model/vae_group.h"

#include <algorithm>
#include <variant>

#include "kernels/model/vae_phases.h"

// Declares the phases of the step as functions for one kind of processor, whose vectors hold `width` floats. Phases are
// not inlined into each other: that would double the time to compile them.
#define BEATSCAN_PHASES(Name, width, ...)                                                                         \
  struct Name {                                                                                                   \
    static constexpr int kWidth = width;                                                                          \
    using Memory = GroupMemory<width>;                                                                            \
    __VA_ARGS__ static void load_beats(Memory& m, const float* const* rows) { vae::load_beats(m, rows); }         \
    __VA_ARGS__ static void encode(Memory& m, const float* p) { vae::encode<false>(m, p); }                       \
    __VA_ARGS__ static void decode(Memory& m, const float* p) { vae::decode<false>(m, p); }                       \
    __VA_ARGS__ static void encode_for_gradient(Memory& m, const float* p) { vae::encode<true>(m, p); }           \
    __VA_ARGS__ static void decode_for_gradient(Memory& m, const float* p) { vae::decode<true>(m, p); }           \
    __VA_ARGS__ static void encode_gradient(Memory& m, const float* p) { vae::encode_gradient(m, p); }            \
    __VA_ARGS__ static void decode_gradient(Memory& m, const float* p, Lanes<width> (&dz)[kLatents]) {            \
      vae::decode_gradient(m, p, dz);                                                                             \
    }                                                                                                             \
    __VA_ARGS__ static void add_gradients(Memory& m, const float* p, float kl_weight) {                           \
      vae::add_gradients<Name>(m, p, kl_weight);                                                                  \
    }                                                                                                             \
    __VA_ARGS__ static void score(Memory& m, const float* p, bool noisy, Lanes<width>* error, Lanes<width>* kl) { \
      vae::score_group<Name>(m, p, noisy, error, kl);                                                             \
    }                                                                                                             \
    __VA_ARGS__ static void decode_error(Memory& m, const float* p, Lanes<width>* error) {                        \
      vae::decode_group<Name>(m, p, error);                                                                       \
    }                                                                                                             \
  }

namespace beatscan::vae {
namespace {

BEATSCAN_PHASES(OnAny, 4, __attribute__((noinline)));
#ifdef __x86_64__
BEATSCAN_PHASES(OnAvx2, 8, __attribute__((noinline, target("avx2"))));
BEATSCAN_PHASES(OnAvx512, 16, __attribute__((noinline, target("avx512f"))));
#endif

// Works on a group in parts of as many beats as a vector holds. Lane i of part k is beat k * width + i.
template <class Phases>
class GroupOf {
 public:
  GroupOf() : memory_(std::make_unique<Memory>()), sums_(std::make_unique<Sums>()) {}  // all 0: the signals' ends stay

  void load(const float* const* rows, int beats) {
    beats_ = beats;
    std::copy_n(rows, beats, rows_);
  }

  void clear_sums() { *sums_ = {}; }

  void add_gradients(const float* parameters, const float* const* eps, float kl_weight) {
    for (int first = 0; first < beats_; first += kWidth) {
      load_part(first);
      load_pairs(memory_->eps, eps, first);
      memory_->sums = sums_->of_part[first / kWidth];
      Phases::add_gradients(*memory_, parameters, kl_weight);
    }
  }

  void read_sums(const float* parameters, float* sums) const {
    for (int i = 0; i < kSums; ++i) {
      sums[i] = 0;
      for (int part = 0; part < kParts; ++part)
        for (int lane = 0; lane < kWidth; ++lane) sums[i] += sums_->of_part[part][i][lane];
    }
    float shares = 0;
    for (int i = 0; i < kAlpha; ++i) shares += alpha_share(i) * parameters[i] * sums[i];
    sums[kAlpha] = shares / alpha_divisor(parameters[kAlpha]);
  }

  void score(const float* parameters, const float* const* eps, float* error, float* kl, float* latents) {
    for (int first = 0; first < beats_; first += kWidth) {
      Lanes<kWidth> errors, divergences;
      load_part(first);
      if (eps) load_pairs(memory_->eps, eps, first);
      Phases::score(*memory_, parameters, eps != nullptr, &errors, &divergences);
      for (int lane = 0; lane < std::min(kWidth, beats_ - first); ++lane) {
        error[first + lane] = errors[lane];
        kl[first + lane] = divergences[lane];
        for (int j = 0; j < kLatents; ++j) latents[(first + lane) * kLatents + j] = memory_->mu[j][lane];
      }
    }
  }

  void decoded_error(const float* parameters, const float* const* latents, float* error) {
    for (int first = 0; first < beats_; first += kWidth) {
      Lanes<kWidth> errors;
      load_part(first);
      load_pairs(memory_->z, latents, first);
      Phases::decode_error(*memory_, parameters, &errors);
      for (int lane = 0; lane < std::min(kWidth, beats_ - first); ++lane) error[first + lane] = errors[lane];
    }
  }

  void decode(const float* parameters, const float* const* latents, int beats, float* rows) {
    beats_ = beats;
    for (int first = 0; first < beats_; first += kWidth) {
      load_pairs(memory_->z, latents, first);
      Phases::decode(*memory_, parameters);
      for (int lane = 0; lane < std::min(kWidth, beats_ - first); ++lane)
        for (int t = 0; t < kPoints; ++t) rows[(first + lane) * kPoints + t] = memory_->decoded.at[0][t + 1][lane];
    }
  }

 private:
  using Memory = typename Phases::Memory;
  static constexpr int kWidth = Phases::kWidth, kParts = kGroupBeats / kWidth;
  struct Sums {
    Lanes<kWidth> of_part[kParts][kSums];
  };

  void load_part(int first) {
    static constexpr float kNoBeat[kPoints] = {};
    const float* rows[kWidth];
    for (int lane = 0; lane < kWidth; ++lane) {
      const bool live = first + lane < beats_;
      memory_->live[lane] = live ? 1.0f : 0.0f;
      rows[lane] = live ? rows_[first + lane] : kNoBeat;
    }
    Phases::load_beats(*memory_, rows);
  }

  void load_pairs(Lanes<kWidth> (&pairs)[kLatents], const float* const* values, int first) {
    for (int j = 0; j < kLatents; ++j)
      for (int lane = 0; lane < kWidth; ++lane) pairs[j][lane] = first + lane < beats_ ? values[first + lane][j] : 0.0f;
  }

  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Sums> sums_;
  const float* rows_[kGroupBeats];
  int beats_ = 0;
};

}  // namespace

struct GroupWorker::Widths {
#ifdef __x86_64__
  std::variant<GroupOf<OnAny>, GroupOf<OnAvx2>, GroupOf<OnAvx512>> group;
#else
  std::variant<GroupOf<OnAny>> group;
#endif
};

GroupWorker::GroupWorker(int bits) : widths_(std::make_unique<Widths>()) {
#ifdef __x86_64__
  if (bits >= 512)
    widths_->group.emplace<GroupOf<OnAvx512>>();
  else if (bits >= 256)
    widths_->group.emplace<GroupOf<OnAvx2>>();
#else
  static_cast<void>(bits);
#endif
}
GroupWorker::~GroupWorker() = default;

void GroupWorker::load(const float* const* rows, int beats) {
  std::visit([&](auto& group) { group.load(rows, beats); }, widths_->group);
}

void GroupWorker::clear_sums() {
  std::visit([](auto& group) { group.clear_sums(); }, widths_->group);
}

void GroupWorker::add_gradients(const float* parameters, const float* const* eps, float kl_weight) {
  std::visit([&](auto& group) { group.add_gradients(parameters, eps, kl_weight); }, widths_->group);
}

void GroupWorker::read_sums(const float* parameters, float* sums) const {
  std::visit([&](const auto& group) { group.read_sums(parameters, sums); }, widths_->group);
}

void GroupWorker::score(const float* parameters, const float* const* eps, float* error, float* kl, float* latents) {
  std::visit([&](auto& group) { group.score(parameters, eps, error, kl, latents); }, widths_->group);
}

void GroupWorker::decoded_error(const float* parameters, const float* const* latents, float* error) {
  std::visit([&](auto& group) { group.decoded_error(parameters, latents, error); }, widths_->group);
}

void GroupWorker::decode(const float* parameters, const float* const* latents, int beats, float* rows) {
  std::visit([&](auto& group) { group.decode(parameters, latents, beats, rows); }, widths_->group);
}

}  // namespace beatscan::vae
