#include "app/pipeline/checkpoint.h"

#include <new>
#include <stdexcept>
#include <utility>

#include "app/common/build_info.h"
#include "app/common/json_text.h"
#include "app/common/partial_file.h"
#include "app/common/sha256.h"
#include "app/common/whole_file.h"
#include "app/output/model_file.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKind = "beatscan-checkpoint-1";

// Removes the keys that select the device, the concurrency and the optional files, and that do not change a run's
// bytes.
Json without_means(Json config) {
  config.erase("device");
  config.erase("pool");
  config.erase("output");
  config.erase("hrv");
  if (config.contains("ingest") && config["ingest"].is_object()) config["ingest"].erase("chunk_bytes");
  return config;
}

// Returns the checksum of the rest of the file: safetensors has none of its own.
std::string checksum_of(const Safetensors& file) {
  Json metadata = file.metadata;
  metadata.erase("checksum");
  std::string bytes = text_of(metadata, -1);
  for (const auto& array : file.arrays) {
    bytes += array.name;
    bytes.append(reinterpret_cast<const char*>(array.values.data()), array.values.size() * sizeof(float));
  }
  return sha256_of(bytes);
}

Safetensors file_of(const TrainingState& state, const TrainingIdentity& identity) {
  Safetensors file{.metadata = {{"kind", kKind},
                                {"versions", identity.versions},
                                {"config", text_of(identity.config, -1)},
                                {"input_sha256", identity.input_sha256},
                                {"device", identity.device},
                                {"steps", std::to_string(state.steps)},
                                {"loss_per_epoch", Json(state.loss_per_epoch).dump()}}};
  const auto add = [&](const std::string& group, const std::vector<NamedArray>& arrays) {
    for (const auto& array : arrays) file.arrays.push_back({group + array.name, array.shape, array.values});
  };
  add("parameters/", state.parameters);
  add("mean/", state.mean);
  add("square/", state.square);
  file.metadata["checksum"] = checksum_of(file);
  return file;
}

TrainingState state_of(const Safetensors& file, const Config& config, const std::string& source) {
  TrainingState state;
  state.loss_per_epoch =
      parse_json<Json>(file.metadata.at("loss_per_epoch").get<std::string>()).get<std::vector<double>>();
  state.steps = std::stoll(file.metadata.at("steps").get<std::string>());
  for (const auto& array : file.arrays) {
    const auto slash = array.name.find('/');
    const std::string group = array.name.substr(0, slash);
    auto& arrays = group == "mean" ? state.mean : group == "square" ? state.square : state.parameters;
    arrays.push_back({array.name.substr(slash + 1), array.shape, array.values});
  }
  for (const auto* arrays : {&state.parameters, &state.mean, &state.square}) check_parameters(*arrays, config, source);
  return state;
}

constexpr const char* kStartOver = "; remove this file to start over";

Error damaged(const fs::path& path) {
  return {ErrorKind::input, path.string() + ": is not a complete checkpoint" + kStartOver};
}

Safetensors whole_file(const fs::path& path) {
  Safetensors file;
  try {
    file = parse_safetensors(read_whole_file(path), path.string());
  } catch (const Error&) {
    throw damaged(path);
  }
  const auto is_text = [&](const char* key) { return file.metadata.value(key, Json()).is_string(); };
  for (const char* key :
       {"kind", "versions", "config", "input_sha256", "device", "steps", "loss_per_epoch", "checksum"})
    if (!file.metadata.is_object() || !is_text(key)) throw damaged(path);
  if (file.metadata["checksum"] != checksum_of(file)) throw damaged(path);
  return file;
}

void check_identity(const Json& metadata, const TrainingIdentity& identity, const std::string& source) {
  const auto require_same = [&](const char* key, const std::string& here, const std::string& what) {
    const auto there = metadata[key].get<std::string>();
    if (there != here) fail(ErrorKind::input, source, what + " (" + there + ", and here " + here + ")" + kStartOver);
  };
  require_same("versions", identity.versions, "was written by another version");
  const auto difference =
      difference_of_configs(parse_json<Json>(metadata["config"].get<std::string>()), identity.config);
  if (!difference.empty())
    fail(ErrorKind::usage, source, "is of another configuration (" + difference + ")" + kStartOver);
  require_same("input_sha256", identity.input_sha256, "is of another input");
  require_same("device", identity.device, "was written on another device");
}

}  // namespace

TrainingIdentity training_identity(const Config& config, std::string input_sha256, std::string device) {
  return {without_means(to_json(config)), std::move(input_sha256),
          std::string(BEATSCAN_VERSION) + " with LibTorch " + libtorch_version(), std::move(device)};
}

fs::path checkpoint_path(const fs::path& result) {
  const fs::path target = result.has_filename() ? result : result.parent_path();
  return hidden_path(target, kCheckpointEnding);
}

void write_checkpoint(const fs::path& path, const TrainingState& state, const TrainingIdentity& identity) {
  write_durably(path, safetensors_bytes(file_of(state, identity)));
}

TrainingState read_checkpoint(const fs::path& path, const TrainingIdentity& identity, const Config& config) {
  const Safetensors file = whole_file(path);
  if (text_at(file.metadata, "kind") != kKind)
    fail(ErrorKind::input, path.string(), std::string("is in a form that this version does not read") + kStartOver);
  try {
    check_identity(file.metadata, identity, path.string());
    TrainingState state = state_of(file, config, path.string());
    if (std::ssize(state.loss_per_epoch) <= config.vae.epochs.value_or(kMostEpochs) && state.steps >= 0) return state;
  } catch (const Json::exception&) {   // values of other types, in a foreign file with a valid checksum
  } catch (const std::logic_error&) {  // text that is not JSON or not a number, in such a file
  }
  throw damaged(path);
}

std::string difference_of_configs(const Json& there, const Json& here) {
  const Json a = without_means(there).flatten(), b = without_means(here).flatten();
  const auto named = [](const std::string& pointer, const std::string& value, const std::string& other) {
    std::string key = pointer.substr(1);
    for (char& c : key)
      if (c == '/') c = '.';
    return key + " is " + value + " there and " + other + " here";
  };
  for (const auto& [key, value] : a.items())
    if (!b.contains(key) || b[key] != value)
      return named(key, text_of(value, -1), b.contains(key) ? text_of(b[key], -1) : "not");
  for (const auto& [key, value] : b.items())
    if (!a.contains(key)) return named(key, "not", text_of(value, -1));
  return "";
}

std::optional<TrainingState> Checkpoints::start(bool resume) const {
  std::error_code unknown;
  if (path_.empty()) return std::nullopt;
  const bool exists = fs::exists(path_, unknown);
  if (!resume) {
    if (exists)
      log_.warning(path_.string() +
                   ": is an interrupted training; without --resume this run begins anew, and then removes it");
    return std::nullopt;
  }
  if (!exists) {
    log_.info(path_.string() + ": no checkpoint, so the training starts from the beginning");
    return std::nullopt;
  }
  TrainingState state = read_checkpoint(path_, identity_(), config_);
  log_.info(path_.string() + ": going on after epoch " + std::to_string(state.loss_per_epoch.size()));
  return state;
}

// Writes a checkpoint. A failure is reported, and the training continues.
void Checkpoints::keep(const EpochEnd& end) const {
  try {
    write_checkpoint(path_, end.state(), identity_());
    log_.info(path_.string() + ": checkpoint after epoch " + std::to_string(end.epoch + 1) + " of " +
              std::to_string(end.epochs) + "; the same command with --resume goes on from it");
  } catch (const Error& error) {
    log_.warning("no checkpoint: " + std::string(error.what()));
  } catch (const std::bad_alloc&) {
    log_.warning(path_.string() + ": no checkpoint: out of memory");
  }
}

EpochReport Checkpoints::reporting(EpochReport report) {
  if (path_.empty()) return report;
  return [this, report = std::move(report)](const EpochEnd& end) {
    const int requests = checkpoint_requests();
    if (std::exchange(requests_seen_, requests) != requests) keep(end);
    report(end);
  };
}

}  // namespace beatscan
