#include "app/revision/revise.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/common/json.h"
#include "app/common/json_text.h"
#include "app/common/log.h"
#include "app/common/numbers.h"
#include "app/common/whole_file.h"
#include "app/config/config.h"
#include "app/evaluation/evaluate.h"
#include "app/evaluation/truth.h"
#include "app/output/output_folder.h"
#include "app/report/stored/damaged_file.h"
#include "app/report/stored/stored_result.h"
#include "app/revision/corrections.h"
#include "app/revision/revised_beats.h"
#include "app/revision/revised_files.h"
#include "kernels/runtime/error.h"
#include "stages/common/letters.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

bool is_json(const fs::path& path) { return in_small_letters(path.extension().string()) == ".json"; }

// Returns the clock of the recording's own annotations.
SignalClock clock_of(const Json& input, double sample_rate_hz) {
  return {input.value("sample_rate_hz", sample_rate_hz), input.value("samples_per_frame", std::int64_t{1})};
}

// Returns why a list of beats may not be one of the whole recording: beats that it lacks are deleted.
std::vector<std::string> warnings_about(const std::vector<ReferenceBeat>& listed, const fs::path& path,
                                        const StoredRhythm& rhythm) {
  std::vector<DetectedBeat> found;
  for (const double sample : rhythm.r_peaks) found.push_back({.sample = std::llround(sample)});
  auto warnings = warnings_of(listed, static_cast<std::int64_t>(rhythm.samples), path);
  const Evaluation evaluation = evaluate(listed, found, rhythm.sample_rate_hz);
  for (auto& warning : fit_warnings(listed, found, evaluation.detection, rhythm.sample_rate_hz, path))
    warnings.push_back(std::move(warning));
  return warnings;
}

// Reads the corrections, and warnings about a list of beats.
Corrections read_corrections(const fs::path& path, const StoredRhythm& rhythm, const Json& summary,
                             std::vector<std::string>& warnings) {
  if (is_json(path)) return parse_corrections(read_whole_file(path), path);
  const auto listed = read_truth(path, clock_of(summary.at("input"), rhythm.sample_rate_hz));
  if (listed.empty()) fail(ErrorKind::input, path.string(), "has no beats; every beat of the result would be deleted");
  warnings = warnings_about(listed, path, rhythm);
  return corrections_of_beats(listed, rhythm.r_peaks, rhythm.beat_classes, rhythm.sample_rate_hz);
}

bool is_revised(const fs::path& folder) {
  const fs::path path = folder / "summary.json";
  std::error_code ignored;
  return fs::exists(path, ignored) && parse_json_if_any<Json>(read_whole_file(path)).contains("revision");
}

// Where a result lies, and what is made of it.
struct Places {
  fs::path analysed, corrections, out;
  Corrections earlier;  // those of a revised result, which more are added to
  bool force;
};

// A revised result lies in the folder of the one that it was made of.
Places places_of(const ReviseRequest& request) {
  Places places{.analysed = request.folder,
                .corrections = request.corrections,
                .out = request.out,
                .earlier = {},
                .force = request.force};
  if (is_revised(request.folder)) {
    const fs::path folder = fs::weakly_canonical(request.folder);
    places.analysed = folder.parent_path();
    if (folder.filename() != kRevisedFolder || is_revised(places.analysed))
      fail(ErrorKind::input, request.folder.string(),
           "is revised already, and the result that it was made of does not lie above it; revise that one");
    if (places.corrections.empty())
      fail(ErrorKind::usage, request.folder.string(), "is revised already; give more corrections by --corrections");
    if (places.out.empty()) places.out = request.folder;
    places.earlier = parse_corrections(read_whole_file(request.folder / kCorrectionsFile), request.folder);
  }
  if (std::error_code ignored; places.corrections.empty()) {
    places.corrections = places.analysed / kCorrectionsFile;
    if (fs::exists(places.analysed / "summary.json", ignored) && !fs::exists(places.corrections, ignored))
      fail(ErrorKind::usage, request.folder.string(), "has no corrections.json; give --corrections FILE");
  }
  if (places.out.empty()) places.out = places.analysed / kRevisedFolder;
  if (std::error_code ignored; fs::exists(places.out / "summary.json", ignored) && !is_revised(places.out))
    fail(ErrorKind::output, places.out.string(), "holds a result that is not revised; give another --out");
  return places;
}

// Refuses to replace a revised result by one with fewer corrections: they may exist nowhere else.
void check_replaced(const Places& places, const Corrections& corrections) {
  const fs::path path = places.out / kCorrectionsFile;
  std::error_code ignored;
  if (places.force || !fs::exists(path, ignored)) return;
  if (const auto lost = missing_in(parse_corrections(read_whole_file(path), path), corrections); lost > 0)
    fail(ErrorKind::output, places.out.string(),
         "has " + grouped(lost, "correction") + " that " + places.corrections.string() +
             " lacks; give that folder instead of the analysis to add to them, or --force to lose them");
}

// Reads a result and applies the corrections to its beats and episodes.
Revision revised(const Places& places) {
  Revision revision;
  revision.result = read_stored_result(places.analysed, {}, &revision.beats_text);
  const StoredResult& result = revision.result;
  apply(revision.config, result.config, (places.analysed / "config.json").string());
  BeatsToRevise beats{.rhythm = read_stored_rhythm(result), .templates = result.beats.shape, .template_classes = {}};
  for (const StoredTemplate& its : result.templates)
    beats.template_classes.push_back(static_cast<BeatClass>(kClassLetters.find(its.beat_class)));
  Corrections earlier = places.earlier;
  if (!is_json(places.corrections)) earlier.beats.clear(), earlier.templates.clear();  // annotations are of all beats
  revision.corrections =
      joined(std::move(earlier), read_corrections(places.corrections, beats.rhythm, result.summary, revision.warnings));
  const std::string sha256 = text_at(result.summary.at("input"), "sha256");
  check_recording(revision.corrections, sha256, places.corrections);
  revision.corrections.input_sha256 = sha256;
  for (NoiseMark& mark : revision.corrections.noise)  // in whole samples, as the files have them
    for (double* const edge : {&mark.from_s, &mark.to_s}) *edge = std::round(*edge * *result.rate_hz) / *result.rate_hz;
  for (const PoorStretch& its : result.poor) beats.poor.push_back({its.from, its.to});
  check_replaced(places, revision.corrections);
  revision.beats = revised_beats(std::move(beats), revision.corrections);
  revision.findings = revised_rhythm(revision.beats, revision.corrections, revision.config.episodes);
  return revision;
}

void log_revision(const Places& places, const RevisedBeats& beats, Log& log) {
  constexpr std::int64_t kMostWarnings = 10;
  const std::int64_t unmatched = std::ssize(beats.unmatched), shown = std::min(unmatched, kMostWarnings);
  const auto warn = [&](const std::string& words) {
    log.warning(places.corrections.string() + ": not applied: " + words);
  };
  for (std::int64_t i = 0; i < shown; ++i) warn(beats.unmatched[i]);
  if (unmatched > shown)
    warn(grouped(unmatched - shown) + " more, in revision.unmatched of " + (places.out / "summary.json").string());
  const RevisionCounts& counts = beats.counts;
  log.info(places.out.string() + ": " + grouped(counts.reclassified, "class", "classes") + " corrected, " +
           grouped(counts.templates, "template") + ", " + grouped(counts.inserted, "beat") + " inserted, " +
           grouped(counts.deleted) + " deleted, " + duration(counts.noise_s) + " of noise, " +
           grouped(counts.episodes, "episode"));
}

}  // namespace

fs::path revised_annotations(const fs::path& folder, const fs::path& compared) {
  const fs::path revised = is_revised(folder) ? folder : folder / kRevisedFolder;
  if (std::error_code ignored; !fs::exists(folder, ignored)) fail(ErrorKind::input, folder.string(), "does not exist");
  if (!is_revised(revised))
    fail(ErrorKind::usage, folder.string(),
         "has no corrections; give a result that `beatscan revise` was used on, or --truth FILE");
  const auto digest = [](const fs::path& result) {
    const Json summary = parse_json_if_any<Json>(read_whole_file(result / "summary.json"));
    return text_at(summary.value("input", Json::object()), "sha256");
  };
  const std::string theirs = digest(revised), ours = digest(compared);
  if (!theirs.empty() && !ours.empty() && theirs != ours)
    fail(ErrorKind::input, folder.string(), "is of another recording than " + compared.string());
  for (const auto& entry : fs::directory_iterator(revised))
    if (entry.path().extension() == ".vae") return entry.path();
  fail_damaged(revised, "has no annotation file");
}

std::optional<Corrections> corrections_in(const fs::path& folder) {
  std::optional<Corrections> found;
  std::error_code ignored;
  for (const fs::path& path : {folder / kRevisedFolder / kCorrectionsFile, folder / kCorrectionsFile})
    if (fs::exists(path, ignored)) {
      Corrections its = parse_corrections(read_whole_file(path), path);
      if (!found)
        found = std::move(its);
      else if (missing_in(its, *found) > 0)
        found = joined(std::move(*found), its);
    }
  return found;
}

bool has_corrections(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kRevisedFolder, ignored) || fs::exists(folder / kCorrectionsFile, ignored);
}

void check_recording(const Corrections& corrections, const std::string& sha256, const fs::path& path) {
  const std::string& theirs = corrections.input_sha256;
  if (!theirs.empty() && !sha256.empty() && theirs != sha256)
    fail(ErrorKind::input, path.string(),
         "is of another recording (SHA-256 " + theirs.substr(0, 12) + "…, and that of the result is " +
             sha256.substr(0, 12) + "…)");
}

void revise(const ReviseRequest& request, Log& log) {
  const Places places = places_of(request);
  Revision revision = revised(places);
  OutputFolder folder(places.out, true);
  write_revised(revision, folder);
  folder.commit();
  for (const std::string& warning : revision.warnings) log.warning(warning);
  log_revision(places, revision.beats, log);
}

}  // namespace beatscan
