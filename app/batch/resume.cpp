#include "app/batch/resume.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "app/batch/plan.h"
#include "app/common/build_info.h"
#include "app/common/errors.h"
#include "app/common/json.h"
#include "app/common/json_text.h"
#include "app/common/partial_file.h"
#include "app/common/sha256.h"
#include "app/common/whole_file.h"
#include "app/output/advisories.h"
#include "app/output/findings_json.h"
#include "app/output/model_file.h"
#include "app/output/tables/parquet.h"
#include "app/output/tables/table_csv.h"
#include "app/pipeline/checkpoint.h"
#include "app/pipeline/models.h"
#include "app/pipeline/run_options.h"
#include "kernels/runtime/error.h"
#include "stages/common/one_line.h"

namespace beatscan {

namespace {

namespace fs = std::filesystem;

// Locks the whole file for this open file description; returns an errno, 0 on success.
int lock_open_file(int descriptor) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return fcntl(descriptor, F_OFD_SETLK, &whole) == 0 ? 0 : errno;
}

// Returns whether another open file holds the lock. Takes no lock itself, which could block a claimant.
bool is_locked(int descriptor) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return fcntl(descriptor, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

bool is_held_by_another(int error) { return error == EAGAIN || error == EACCES; }

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// Writes which process has the claim. A failure to write is ignored, because the lock is the claim.
void tell_claimant(int descriptor, const fs::path& input) {
  const std::string text =
      text_of(Json{{"input", input.string()}, {"host", host_name()}, {"process", getpid()}}, -1) + "\n";
  if (ftruncate(descriptor, 0) == 0) {
    [[maybe_unused]] const auto written = pwrite(descriptor, text.data(), text.size(), 0);
  }
}

}  // namespace

fs::path claim_path(const fs::path& target) { return hidden_path(target, kClaimEnding); }

std::optional<Claim> Claim::take(const fs::path& target, const fs::path& input) {
  const fs::path path = claim_path(target);
  for (;;) {
    Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!file) fail_output(target, "cannot be made", errno);
    if (is_held_by_another(lock_open_file(file.get()))) return std::nullopt;
    // Between opening and locking, the previous holder may have released it and removed the file.
    if (!names_this_file(path, file.get())) continue;
    tell_claimant(file.get(), input);
    return Claim(path, std::move(file));
  }
}

Claim::~Claim() {
  if (locked_) unlink(path_.c_str());
}

std::optional<ClaimState> claim_state(const fs::path& claim) {
  const Descriptor file(open(claim.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return std::nullopt;
  std::array<char, 8192> text{};
  const ssize_t bytes = pread(file.get(), text.data(), text.size(), 0);
  ClaimState state{.held = is_locked(file.get())};
  const Json json = parse_json_if_any<Json>({text.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))});
  if (json.is_object() && json.contains("input") && json["input"].is_string())
    state.input = json["input"].get<std::string>();
  return state;
}

std::filesystem::path failure_path(const std::filesystem::path& target) { return hidden_path(target, kFailureEnding); }

void write_failure(const std::filesystem::path& target, const CohortRow& row) {
  const Json record = {{"schema_version", 1},
                       {"input", row.input},
                       {"name", row.name},
                       {"status", row.failure_status},
                       {"message", row.failure}};
  // If the record is lost, the recording counts as missing, and --resume analyses it anyway. Syncing each record took
  // 16 ms, and a list may have 60,000 failures.
  write_unsynced(failure_path(target), text_of(record) + "\n", TemporaryFilesOf::are_cleaned_up);
}

void remove_failure(const std::filesystem::path& target) noexcept {
  std::error_code ignored;
  std::filesystem::remove(failure_path(target), ignored);
}

CohortRow read_failure(const std::filesystem::path& record, const std::string& name) {
  try {
    const Json json = parse_json<Json>(read_whole_file(record));
    return failed_row(json.at("input").get<std::string>(), name, json.at("status").get<int>(),
                      in_one_line(json.at("message").get<std::string>()));
  } catch (const std::exception&) {
    return failed_row("", name, static_cast<int>(ExitStatus::output),
                      record.string() + ": is damaged; --resume analyses the recording again");
  }
}

namespace {

[[noreturn]] void refuse(const fs::path& folder, const std::string& what) {
  fail(ErrorKind::output, folder.string(),
       what + "; give --force to replace it, another --out, or what it was made with");
}

Json stored(const fs::path& path) {
  const Json document = parse_json_if_any<Json>(read_whole_file(path));
  if (!document.is_object()) refuse(path, "is damaged");
  return document;
}

// Runs check(). Values of types that this program does not write count as damage.
template <class Check>
void undamaged(const fs::path& folder, Check&& check) {
  try {
    check();
  } catch (const Json::exception&) {
    refuse(folder, "is damaged: its summary.json or config.json is not as it was written");
  }
}

std::optional<double> optional_at(const Json& document, const char* pointer) {
  const Json value = document.value(Json::json_pointer(pointer), Json());
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

// Removes the rate: a model brings its own, which is not part of the configuration that it is used with.
Json without_rate(Json config) {
  if (config.contains("ingest")) config["ingest"].erase("sample_rate_hz");
  return config;
}

bool same(const std::vector<NamedArray>& a, const std::vector<NamedArray>& b) {
  return std::ranges::equal(a, b, [](const NamedArray& x, const NamedArray& y) {
    return x.name == y.name && x.shape == y.shape && x.values == y.values;
  });
}

// Returns the number of rows; -1 if the file is damaged.
std::int64_t rows_of_parquet(const fs::path& path) {
  try {
    return read_parquet(path).rows;
  } catch (const Error&) {
    return -1;
  }
}

// The parts of a result that do not follow from its configuration.
struct Wanted {
  const fs::path& truth;  // empty: no evaluation
  TableForm beats;
  bool waves, features, nn, save_arrays;
};

bool wants_features(const Config& config) { return config.output.features && config.method == Method::r_peaks; }
bool wants_nn(const Config& config) { return config.output.nn && config.method == Method::r_peaks; }
bool wants_waves(const Config& config) { return config.output.waves && config.method == Method::r_peaks; }

// Throws if the result lacks a requested part, or was compared with other annotations.
void check_wanted(const fs::path& folder, const Json& summary, const Wanted& wanted) {
  if (!wanted.truth.empty()) {
    if (!summary.contains("evaluation")) refuse(folder, "is a result without --truth");
    const Json hash = summary.value(Json::json_pointer("/run/truth_sha256"), Json());
    if (hash.is_string() && hash != sha256_of(read_whole_file(wanted.truth)))
      refuse(folder, "was compared with other annotations than " + wanted.truth.string());
  }
  std::error_code unknown;
  const bool csv = fs::exists(folder / "beats.csv", unknown), parquet = fs::exists(folder / "beats.parquet", unknown);
  if (wants_csv(wanted.beats) && !csv && parquet)
    refuse(folder, "is a result without beats.csv, which --beats asks for");
  if (wants_parquet(wanted.beats) && !parquet && csv)
    refuse(folder, "is a result without beats.parquet, which --beats asks for");
  if (wanted.waves && !fs::exists(folder / "waves.csv", unknown) && !fs::exists(folder / "waves.parquet", unknown))
    refuse(folder, "is a result without waves.csv, which --waves asks for");
  if (wanted.features && !fs::exists(folder / "features.npy", unknown))
    refuse(folder, "is a result without features.npy, which --features asks for");
  if (wanted.nn && !fs::exists(folder / "nn.csv", unknown))
    refuse(folder, "is a result without nn.csv, which --nn asks for");
  if (wanted.save_arrays && !fs::exists(folder / "arrays", unknown)) refuse(folder, "is a result without arrays");
}

// Throws if files of the result were deleted or truncated.
void check_files(const fs::path& folder, const Json& summary, TableForm form) {
  std::error_code unknown;
  const bool has_model = !summary.value(Json::json_pointer("/model/why_none"), Json()).is_string();
  for (const char* name : {"config.json", "generated.csv", "model.safetensors", "report"})
    if ((has_model || name != std::string_view("model.safetensors")) && !fs::exists(folder / name, unknown))
      refuse(folder, std::string("is damaged: it has no ") + name);
  if (!classes_in_beats(folder).empty()) return;  // the number of its rows is not known
  const auto beats = summary.value(Json::json_pointer("/beats/found"), std::int64_t{-1});
  const fs::path csv = folder / "beats.csv", parquet = folder / "beats.parquet";
  if (wants_csv(form) && (!fs::exists(csv, unknown) || std::ranges::count(read_whole_file(csv), '\n') != beats + 1))
    refuse(folder, "is damaged: beats.csv does not hold its beats");
  if (wants_parquet(form) && (!fs::exists(parquet, unknown) || rows_of_parquet(parquet) != beats))
    refuse(folder, "is damaged: beats.parquet does not hold its beats");
}

// Throws if the result has another version, model or configuration. Does not need the input. `model` is the file of a
// saved model; empty: the run trains its own.
void check_run(const fs::path& folder, const Json& summary, const Config& config, const fs::path& model) {
  const std::array versions = {std::pair("beatscan", std::string(BEATSCAN_VERSION)),
                               std::pair("libtorch", libtorch_version())};
  for (const auto& [what, here] : versions)
    if (summary.value(Json::json_pointer(std::string("/versions/") + what), Json()) != here)
      refuse(folder, std::string("is a result of another version of ") + what);
  const Json source = model.empty() ? Json(nullptr) : Json(model.string());
  if (summary.value(Json::json_pointer("/model/source"), Json()) != source)
    refuse(folder, "is a result of another model");
  Json there = stored(folder / "config.json"), here = to_json(config);
  if (!model.empty()) there = without_rate(there), here = without_rate(here);
  for (const auto& [section, key] :
       {std::pair("output", "only"), {"output", "deidentify"}, {"hrv", "window"}, {"hrv", "sleep"}})
    if (there.contains(section) && there[section].contains(key) && there[section][key] != here[section][key])
      refuse(folder, std::string("is a result with another ") + section + "." + key);
  const std::string difference = difference_of_configs(there, here);
  if (!difference.empty()) refuse(folder, "is a result of another configuration (" + difference + ")");
}

void check_complete(Job& job) {
  const fs::path& folder = job.folder;
  const RunRequest& request = job.request;
  const Json summary = stored(folder / "summary.json");
  check_run(folder, summary, request.config, request.model ? request.model->path : fs::path());
  if (request.model && !same(read_model(folder / "model.safetensors").parameters, request.model->parameters))
    refuse(folder, "is a result of another model");
  if (!is_untouched(summary, request.input)) {
    open_job(job);
    if (summary.value(Json::json_pointer("/input/sha256"), Json()) != job.input->sha256->get())
      refuse(folder, "is a result of another input");
  }
  const auto is_other = [&](const char* place, const std::string& sha256) {
    const Json found = summary.value(Json::json_pointer(place), Json());
    return found.is_string() && found != sha256;
  };
  if (request.models && is_other("/waves/model_sha256", request.models->waves.sha256))
    refuse(folder, "is a result of another wave model");
  if (request.models && is_other("/quality/model_sha256", request.models->quality.sha256))
    refuse(folder, "is a result of another quality model");
  if (request.models && is_other("/classes/model_sha256", request.models->classes.sha256))
    refuse(folder, "is a result of another model of beat classes");
  check_wanted(folder, summary,
               {request.truth, request.beats, wants_waves(request.config), wants_features(request.config),
                wants_nn(request.config), request.save_arrays});
  check_files(folder, summary, request.beats);
}

}  // namespace

void check_same_run(const fs::path& folder, const Config& config, const RunOptions& options, const fs::path& truth) {
  undamaged(folder, [&] {
    const Json summary = stored(folder / "summary.json");
    check_run(folder, summary, config, options.model);
    try {
      check_wanted(
          folder, summary,
          {truth, options.beats, wants_waves(config), wants_features(config), wants_nn(config), options.save_arrays});
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::output) throw;  // reported when the recording is processed
    }
  });
}

bool is_untouched(const Json& summary, const fs::path& input) {
  const Json facts = summary.value("input", Json()), run = summary.value("run", Json());
  if (!facts.is_object() || !run.is_object() || facts.value("path", Json()) != input.string()) return false;
  const Json files = facts.value("files", Json()), stamps = run.value("input_stamps", Json());
  if (!files.is_array() || files.empty() || !stamps.is_array() || stamps.size() != files.size()) return false;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string stamp = stamp_of(files[i].get<std::string>());
    if (stamp.empty() || stamps[i] != stamp) return false;
  }
  return true;
}

bool is_complete(Job& job, bool force) {
  std::error_code unknown;
  if (!fs::exists(job.folder / "summary.json", unknown)) return false;
  try {
    undamaged(job.folder, [&] { check_complete(job); });
  } catch (const Error& error) {
    if (!force || error.kind() != ErrorKind::output) throw;
    return false;
  }
  return true;
}

bool is_of_rhythm(const fs::path& folder) {
  std::error_code unknown;
  for (const char* name : {"beats.csv", "beats.parquet"})  // other results have one of them, and a longer summary
    if (fs::exists(folder / name, unknown)) return false;
  try {
    const Json summary = parse_json_if_any<Json>(read_whole_file(folder / "summary.json"));
    return summary.is_object() && text_at(summary, "kind") == "rhythm";
  } catch (const Error&) {  // the row reports that it cannot be read
    return false;
  }
}

CohortRow stored_cohort_row(const fs::path& folder) {
  const Json summary = stored(folder / "summary.json");
  try {
    const Json& anomaly = summary.at("anomaly");
    const auto count = anomaly.at("count").get<std::int64_t>();
    const auto share = anomaly.at("share").get<double>();
    CohortRow row{.input = summary.at("input").at("path").get<std::string>(),
                  .name = folder.filename().string(),
                  .duration_s = optional_at(summary, "/input/duration_s"),
                  .beats_a_minute = optional_at(summary, "/beats/median_a_minute"),
                  .analysable_share = optional_at(summary, "/quality/analysable_share"),
                  .beats = summary.at("beats").at("found").get<std::int64_t>(),
                  .anomalous = count,
                  .anomalous_share = share,
                  .by_signal = {anomaly.value("count_in_good_signal", count),
                                anomaly.value("count_in_poor_signal", std::int64_t{0}),
                                anomaly.value("share_in_good_signal", share)}};
    row.drift = optional_at(summary, "/drift/value");
    row.findings = finding_values(summary.value("findings", Json()));
    row.waves = wave_values(summary.value("waves", Json()));
    row.p_waves = p_waves_of(summary.value("waves", Json()));
    row.advisories = advisory_texts(summary);
    return row;
  } catch (const Json::exception&) {
    refuse(folder / "summary.json", "is damaged");
  }
}

}  // namespace beatscan
