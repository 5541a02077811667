// app/pipeline/checkpoint.h — saves an interrupted training as a file, so that `--resume` can continue it.
//
// The file is a safetensors file, written atomically. It holds
//   - the parameters and Adam's two moments by name
//   - the number of steps and the loss of each epoch
//   - the training's identity: the configuration, the input's hash, the program's version and the device
// Random numbers depend on seed, epoch and row alone, so nothing else is needed to reproduce the same bytes.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/common/log.h"
#include "app/config/config.h"
#include "stages/model/vae.h"

namespace beatscan {

// The properties that determine the bytes of a training.
struct TrainingIdentity {
  Json config;  // without the keys that select device and concurrency
  std::string input_sha256;
  std::string versions;  // those of this program and LibTorch
  std::string device;    // "cpu", or the GPU's name
};
TrainingIdentity training_identity(const Config& config, std::string input_sha256, std::string device);

// Returns the path of a result's checkpoint, beside the result: .NAME.checkpoint.safetensors.
inline constexpr std::string_view kCheckpointEnding = ".checkpoint.safetensors";
std::filesystem::path checkpoint_path(const std::filesystem::path& result);

void write_checkpoint(const std::filesystem::path& path, const TrainingState& state, const TrainingIdentity& identity);

// Reads a checkpoint. Throws ErrorKind::input for a damaged file, or one of another input, version or device, and
// ErrorKind::usage for one of another configuration: continuing would not give the bytes of an uninterrupted run.
TrainingState read_checkpoint(const std::filesystem::path& path, const TrainingIdentity& identity,
                              const Config& config);

// Returns the first difference between two configurations as text: "vae.epochs is 5 there and 2 here"; empty if there
// is none. Keys that select device, concurrency or optional files are not compared.
std::string difference_of_configs(const Json& there, const Json& here);

// The checkpoint of one training: read at its start, written at the end of an epoch. An empty path: no checkpoint.
class Checkpoints {
 public:
  // requests_seen: checkpoint_requests() when the recording was started. Later requests are served.
  Checkpoints(std::filesystem::path path, const Config& config, std::function<TrainingIdentity()> identity,
              int requests_seen, Log& log)
      : path_(std::move(path)),
        config_(config),
        identity_(std::move(identity)),
        requests_seen_(requests_seen),
        log_(log) {}

  // Returns the state to continue from, if there is one and `resume` is set.
  std::optional<TrainingState> start(bool resume) const;
  // Returns a progress callback that first writes a checkpoint if a signal has requested one.
  EpochReport reporting(EpochReport report);

 private:
  void keep(const EpochEnd& end) const;
  std::filesystem::path path_;
  const Config& config_;
  std::function<TrainingIdentity()> identity_;
  int requests_seen_;
  Log& log_;
};

}  // namespace beatscan
