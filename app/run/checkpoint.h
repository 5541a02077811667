// app/run/checkpoint.h — keeps an interrupted training as a file, so that `--resume` can go on with it.
//
// The file is a safetensors file, whole or absent. It holds
//   - the parameters and Adam's two moments by name
//   - the steps done and the loss of each epoch
//   - the training's identity: the configuration, the input's hash, the program's version and the device
// Random numbers depend on seed, epoch and row alone, so nothing else is needed for the same bytes.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/config/config.h"
#include "app/text/log.h"
#include "stages/vae/vae.h"

namespace beatscan {

// The facts that decide the bytes of a training.
struct TrainingIdentity {
  Json config;  // without the keys that say where to work
  std::string input_sha256;
  std::string versions;  // those of this program and LibTorch
  std::string device;    // "cpu", or the GPU's name
};
TrainingIdentity training_identity(const Config& config, std::string input_sha256, std::string device);

// Returns the path of a result's checkpoint, which lies beside it: .NAME.checkpoint.safetensors.
inline constexpr std::string_view kCheckpointEnding = ".checkpoint.safetensors";
std::filesystem::path checkpoint_path(const std::filesystem::path& result);

void write_checkpoint(const std::filesystem::path& path, const TrainingState& state, const TrainingIdentity& identity);

// Reads a checkpoint. Throws ErrorKind::input for a file that is damaged, or of another input, version or device, and
// ErrorKind::usage for one of another configuration: going on from it would not give the bytes of an uninterrupted run.
TrainingState read_checkpoint(const std::filesystem::path& path, const TrainingIdentity& identity,
                              const Config& config);

// Returns in words the first difference between two configurations: "vae.epochs is 5 there and 2 here"; empty where
// there is none. Keys that say where to work, and which files are added, are not compared.
std::string difference_of_configs(const Json& there, const Json& here);

// The checkpoint of one training: read at its start, written at the end of an epoch. An empty path: none is kept.
class Checkpoints {
 public:
  // requests_seen: checkpoint_requests() when the recording was begun. What is asked for later is written.
  Checkpoints(std::filesystem::path path, const Config& config, std::function<TrainingIdentity()> identity,
              int requests_seen, Log& log)
      : path_(std::move(path)),
        config_(config),
        identity_(std::move(identity)),
        requests_seen_(requests_seen),
        log_(log) {}

  // Returns the state to go on from, where there is one and `resume` asks for it.
  std::optional<TrainingState> start(bool resume) const;
  // Returns a report that first writes a checkpoint where a signal has asked for one.
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
