#include "app/evaluation/evaluate_batch.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/common/json_text.h"
#include "app/evaluation/beat_quality.h"
#include "app/evaluation/truth.h"
#include "app/output/tables/table_csv.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"

namespace beatscan {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// Returns the result folders directly below a folder, in the order of their names.
std::vector<fs::path> folders_of_results(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (has_beats(entry->path())) folders.push_back(entry->path());
  if (error) fail(ErrorKind::input, folder.string(), "cannot be listed: " + error.message());
  if (folders.empty())
    fail(ErrorKind::input, folder.string(),
         "has no result with beats, and no folder in it is one; give the folder of a result or of a batch, or that of "
         "one result of `rhythm`");
  std::ranges::sort(folders);
  return folders;
}

std::string files_of_truth(const std::string& name) {
  return name + ".atr, " + name + ".truth.csv or " + name + ".csv";
}

// Returns the reference annotations of each result. Throws if any are missing, with their number.
std::vector<fs::path> truths_of(const TruthFolder& truths, const std::vector<fs::path>& results) {
  std::vector<fs::path> found;
  std::string example;
  for (const auto& result : results) {
    const std::string name = result.filename().string();
    if (auto truth = truths.truth_of(name))
      found.push_back(std::move(*truth));
    else if (example.empty())
      example = name;
  }
  const auto all = std::ssize(results), missing = all - std::ssize(found);
  if (missing == 0) return found;
  fail(ErrorKind::input, truths.path().string(),
       "has no annotations for " +
           (missing == all ? std::string("any result") : std::to_string(missing) + " of " + counted(all, "result")) +
           ", such as " + files_of_truth(example) + "; add " + by_count(missing, "it", "them") +
           ", or give another folder");
}

bool is_folder(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

bool is_result(const fs::path& folder) {
  std::error_code unknown;
  return has_beats(folder) || fs::exists(folder / "summary.json", unknown) ||
         fs::exists(folder / "episodes.csv", unknown);
}

// Sums the counts of all recordings.
struct Gross {
  DetectionQuality detection;
  ClassMatrix beat_classes;
  std::map<std::string, EpisodeQuality> episodes;
  PerFiducial<std::optional<FiducialQuality>> waves;
  bool has_waves = false;

  void add(const Evaluation& evaluation) {
    detection.tp += evaluation.detection.tp;
    detection.fp += evaluation.detection.fp;
    detection.fn += evaluation.detection.fn;
    if (evaluation.beat_classes)
      for (const char reference : kClassRows)
        for (const char beat_class : kClassRows)
          beat_classes.at(reference, beat_class) += evaluation.beat_classes->at(reference, beat_class);
    if (evaluation.episodes)
      for (const auto& [label, quality] : *evaluation.episodes) episodes[label] += quality;
    if (evaluation.waves) add_waves(*evaluation.waves);
  }

 private:
  void add_waves(const WaveQuality& quality) {
    has_waves = true;
    for (std::size_t i = 0; i < waves.size(); ++i) {
      if (!quality.fiducials[i]) continue;
      if (!waves[i]) waves[i].emplace();
      *waves[i] += *quality.fiducials[i];
    }
  }
};

Json json_of_gross(const Gross& gross) {
  const auto& [tolerance, tp, fp, fn, sensitivity, ppv, f1] = gross.detection;
  Json json = {{"detection",
                {{"tp", tp},
                 {"fp", fp},
                 {"fn", fn},
                 {"sensitivity", or_null(quotient(tp, tp + fn))},
                 {"ppv", or_null(quotient(tp, tp + fp))},
                 {"f1", or_null(quotient(2 * tp, 2 * tp + fp + fn))}}},
               {"kinds", to_json(gross.beat_classes)},
               {"episodes", to_json(gross.episodes)}};
  if (gross.has_waves) json["waves"] = to_json(gross.waves);
  return json;
}

// Averages a value over the recordings that have it.
class Mean {
 public:
  void add(const std::optional<double>& value) {
    if (!value) return;
    sum_ += *value;
    ++count_;
  }
  std::optional<double> value() const {
    return count_ > 0 ? std::optional(sum_ / static_cast<double>(count_)) : std::nullopt;
  }
  int count() const { return count_; }

 private:
  double sum_ = 0;
  int count_ = 0;
};

// The means of named values, in order of first occurrence.
class Means {
 public:
  void add(const std::string& name, const std::optional<double>& value) {
    if (!means_.contains(name)) names_.push_back(name);
    means_[name].add(value);
  }
  Json json() const {
    Json json = Json::object();
    for (const auto& name : names_) {
      json[name] = or_null(means_.at(name).value());
      json["records_with_" + name] = means_.at(name).count();
    }
    return json;
  }

 private:
  std::map<std::string, Mean> means_;
  std::vector<std::string> names_;
};

void add_wave_means(const WaveQuality& quality, std::map<std::string, Means>& means) {
  for (std::size_t i = 0; i < quality.fiducials.size(); ++i) {
    if (!quality.fiducials[i]) continue;
    Means& of_fiducial = means[std::string(kWaveFiducialNames[i])];
    of_fiducial.add("sensitivity", quality.fiducials[i]->sensitivity());
    of_fiducial.add("ppv", quality.fiducials[i]->ppv());
    of_fiducial.add("f1", quality.fiducials[i]->f1());
    of_fiducial.add("mean_ms", quality.fiducials[i]->mean_ms());
    of_fiducial.add("sd_ms", quality.fiducials[i]->sd_ms());
  }
}

Json json_of_average(const std::map<std::string, Evaluation>& evaluations) {
  Means detection;
  std::map<std::string, Means> beat_classes, episodes, waves;
  for (const auto& [name, evaluation] : evaluations) {
    detection.add("sensitivity", evaluation.detection.sensitivity);
    detection.add("ppv", evaluation.detection.ppv);
    detection.add("f1", evaluation.detection.f1);
    for (const char beat_class : {'V', 'S'}) {
      if (!evaluation.beat_classes) continue;
      const ClassQuality quality = quality_of_class(*evaluation.beat_classes, beat_class);
      Means& means = beat_classes[std::string(1, beat_class)];
      means.add("sensitivity", quality.sensitivity);
      means.add("ppv", quality.ppv);
      // F1 is meaningful only if there are such beats.
      means.add("f1", quality.tp + quality.fn > 0 ? quality.f1 : std::nullopt);
      means.add("false_positive_rate", quality.false_positive_rate);
    }
    if (evaluation.waves) add_wave_means(*evaluation.waves, waves);
    if (!evaluation.episodes) continue;
    for (const auto& [label, quality] : *evaluation.episodes) {
      episodes[label].add("sensitivity", quality.sensitivity());
      episodes[label].add("ppv", quality.ppv());
      episodes[label].add("duration_sensitivity", quality.duration_sensitivity());
      episodes[label].add("duration_ppv", quality.duration_ppv());
    }
  }
  Json json = {{"detection", detection.json()}, {"kinds", Json::object()}, {"episodes", Json::object()}};
  for (const auto& [beat_class, means] : beat_classes) json["kinds"][beat_class] = means.json();
  for (const auto& [label, means] : episodes) json["episodes"][label] = means.json();
  for (const auto& [fiducial, means] : waves) json["waves"][fiducial] = means.json();
  return json;
}

}  // namespace

bool is_batch(const EvaluateRequest& request) {
  if (!is_folder(request.folder)) return false;
  if (!is_result(request.folder)) {
    const auto results = folders_of_results(request.folder);
    if (is_folder(request.truth)) return true;
    const std::string files = "with " + files_of_truth("NAME") + " for each of its results";
    if (std::error_code unknown; !fs::exists(request.truth, unknown))
      fail(ErrorKind::input, request.truth.string(), "is not there; give a folder " + files);
    throw Error(ErrorKind::usage, request.folder.string() + " is the folder of a batch, so --truth must be a folder " +
                                      files + "; or give one result: " + results.front().string());
  }
  if (is_folder(request.truth))
    fail(ErrorKind::usage, request.truth.string(),
         "is a folder, and " + request.folder.string() + " is one result; give --truth the file of its annotations");
  return false;
}

std::map<std::string, EvaluateRequest> requests_of_batch(const EvaluateRequest& request,
                                                         std::span<const std::string> excluded) {
  if (!request.rhythms.empty())
    throw Error(ErrorKind::usage, "--rhythms goes with one result; the truth files of a batch have their rhythms");
  auto results = folders_of_results(request.folder);
  for (const std::string& name : excluded)
    if (std::erase(results, request.folder / name) == 0)
      throw Error(ErrorKind::usage,
                  "--exclude " + name + ": " + request.folder.string() + " has no such result; leave the name out");
  const auto truths = truths_of(TruthFolder(request.truth), results);
  std::map<std::string, EvaluateRequest> requests;
  for (std::size_t i = 0; i < results.size(); ++i) {
    EvaluateRequest& one = requests[results[i].filename().string()] = request;
    one.folder = results[i];
    one.truth = truths[i];
  }
  return requests;
}

std::map<std::string, Evaluation> evaluate_batch(const EvaluateRequest& request) {
  std::map<std::string, Evaluation> evaluations;
  for (const auto& [name, one] : requests_of_batch(request)) evaluations[name] = evaluate_folder(one);
  return evaluations;
}

Json to_json(const std::map<std::string, Evaluation>& evaluations) {
  Gross gross;
  Json json = {{"records", Json::object()}};
  for (const auto& [name, evaluation] : evaluations) {
    json["records"][name] = to_json(evaluation);
    gross.add(evaluation);
  }
  json["gross"] = json_of_gross(gross);
  json["average"] = json_of_average(evaluations);
  return json;
}

}  // namespace beatscan
