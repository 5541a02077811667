#include "app/batch/batch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <new>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/batch/cohort.h"
#include "app/batch/plan.h"
#include "app/batch/resume.h"
#include "app/batch/worker.h"
#include "app/common/environment.h"
#include "app/common/errors.h"
#include "app/common/numbers.h"
#include "app/common/partial_file.h"
#include "app/output/output_folder.h"
#include "app/pipeline/run_options.h"
#include "app/report/cohort_files.h"
#include "kernels/machine/host_threads.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/interrupt.h"

namespace beatscan {

namespace fs = std::filesystem;

namespace {

// Creates the folder, and removes what killed programs left in it, once for all results. The destructor removes an
// empty folder, with the parent folders created for it.
class BatchFolder {
 public:
  explicit BatchFolder(const std::filesystem::path& folder);  // throws ErrorKind::output
  ~BatchFolder();
  BatchFolder(BatchFolder&&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  // innermost first
};

BatchFolder::BatchFolder(const fs::path& folder) {
  std::error_code error;
  fs::path missing = folder.has_filename() ? folder : folder.parent_path();
  for (; !fs::exists(missing, error) && !error; missing = parent_of(missing)) made_.push_back(missing);
  if (!error) fs::create_directories(folder, error);
  if (error) fail_output(folder, "cannot be made", error.value());
  clean_up_folder_after_killed(folder);
}

BatchFolder::~BatchFolder() {
  std::error_code ignored;
  for (const auto& folder : made_) fs::remove(folder, ignored);  // only if it is empty
}

}  // namespace

double BatchFigures::per_second() const { return elapsed_s > 0 ? static_cast<double>(made + failed) / elapsed_s : 0; }

double BatchFigures::seconds_left() const {
  const double speed = per_second();
  return speed > 0 ? static_cast<double>(all - done()) / speed : -1;
}

std::string batch_figures_text(const BatchFigures& figures) {
  std::string text = grouped(figures.done()) + " of " + grouped(figures.all, "recording");
  if (figures.kept > 0) text += ", " + grouped(figures.kept) + " kept";
  text += ", " + grouped(figures.failed) + " failed";
  const double speed = figures.per_second();
  if (figures.made + figures.failed > 0)
    text += ", " + (speed < 1000 ? significant(speed, 3) : grouped(std::llround(speed))) + " a second";
  if (figures.done() < figures.all && figures.seconds_left() >= 0)
    text += ", " + duration(std::ceil(figures.seconds_left())) + " left";
  return text;
}

Log::Figures fields_of(const BatchFigures& figures) {
  return {{"done", static_cast<double>(figures.done())}, {"of", static_cast<double>(figures.all)},
          {"kept", static_cast<double>(figures.kept)},   {"failed", static_cast<double>(figures.failed)},
          {"per_second", figures.per_second()},          {"seconds_left", figures.seconds_left()}};
}

BatchProgress::BatchProgress(Log& log, std::int64_t recordings, std::chrono::milliseconds between_lines)
    : log_(log), between_lines_(between_lines) {
  figures_.all = recordings;
  teller_ = std::jthread([this](const std::stop_token& stop) { tell_until(stop); });
}

BatchProgress::~BatchProgress() {
  teller_.request_stop();
  teller_.join();
  log_.end_progress();
}

BatchFigures BatchProgress::figures() const {
  const std::scoped_lock lock(mutex_);
  BatchFigures figures = figures_;
  figures.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  return figures;
}

void BatchProgress::count(std::int64_t BatchFigures::*what) {
  const std::scoped_lock lock(mutex_);
  ++(figures_.*what);
}

void BatchProgress::failed_elsewhere() {
  const std::scoped_lock lock(mutex_);
  --figures_.kept;
  ++figures_.failed;
}

void BatchProgress::tell() const {
  const BatchFigures now = figures();
  const std::string text = batch_figures_text(now);
  if (log_.draws()) {
    log_.progress("batch", static_cast<double>(now.done()) / static_cast<double>(std::max<std::int64_t>(now.all, 1)),
                  text);
    return;
  }
  log_.figures("batch: " + text, fields_of(now));
}

void BatchProgress::tell_until(const std::stop_token& stop) {
  const auto period = log_.draws() ? std::chrono::milliseconds(200) : between_lines_;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait_for(lock, stop, period, [] { return false; });
    if (stop.stop_requested()) return;
    lock.unlock();
    tell();
    lock.lock();
  }
}

Batch::Batch(const Plan& plan, const CommonOptions& common, const RunOptions& options, const Config& config,
             std::vector<int> gpus_left, Log& log)
    : plan_(plan),
      common_(common),
      options_(options),
      config_(config),
      gpus_left_(std::move(gpus_left)),
      log_(log),
      jobs_(plan.recordings.size()),
      rows_(plan.recordings.size()),
      failures_(plan.recordings.size()) {}

// Creates each job only when a thread takes it: a list may have a hundred thousand recordings.
Job& Batch::job_of(std::size_t recording) {
  if (!jobs_[recording]) jobs_[recording] = std::make_unique<Job>(job_for(common_, options_, plan_, recording));
  return *jobs_[recording];
}

BatchOutcome Batch::run() {
  if (!plan_.batch) {
    open_job(job_of(0));  // starts hashing before a GPU is requested
    analyse_all();
    return outcome();
  }
  keep_worker_processes();
  const BatchFolder folder(options_.out);
  progress_.emplace(log_, std::ssize(plan_.recordings));
  try {
    analyse_all();
  } catch (const Interrupted&) {
    tell_what_is_done();
    throw;
  }
  look_at_what_was_left();
  const BatchFigures figures = progress_->figures();
  progress_.reset();
  log_.figures("batch: " + batch_figures_text(figures), fields_of(figures));
  tell_lists();
  const BatchOutcome outcome = this->outcome();
  if (outcome.failed > 0)
    log_.error(std::to_string(outcome.failed) + " of " + counted(std::ssize(jobs_), "recording") + " failed");
  return outcome;
}

void Batch::analyse_all() {
  choose_devices();
  start_threads();
  if (stopped_by_) std::rethrow_exception(stopped_by_);
}

void Batch::tell_what_is_done() {
  const BatchFigures figures = progress_->figures();
  progress_.reset();
  log_.info("stopped after " + grouped(figures.done()) + " of " + grouped(figures.all, "recording") +
            "; the same command with --resume does the others");
}

// Updates the rows of recordings that other processes had claimed. A recording counts as failed if the other process
// recorded a failure, or if it has neither a result nor an active claim.
void Batch::look_at_what_was_left() {
  std::int64_t running = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    CohortRow& row = rows_[i];
    if (row.state != RecordingState::running) continue;
    const std::string input = row.input;
    row = row_of_place(options_.out / row.name);
    if (row.input.empty()) row.input = input;
    if (row.state == RecordingState::running) ++running;
    if (row.state == RecordingState::failed) fail_elsewhere(i, kind_of(row.failure_status), row.failure);
    if (row.state == RecordingState::interrupted)
      fail_elsewhere(i, ErrorKind::internal,
                     (options_.out / row.name).string() +
                         ": the process that analysed it ended early; --resume analyses it again");
  }
  if (running > 0)
    log_.warning(counted(running, "recording is", "recordings are") + " still being made by " +
                 by_count(running, "another process", "other processes") + "; `beatscan cohort " +
                 quoted_for_shell(options_.out.string()) + "` makes the lists when " +
                 by_count(running, "it is", "they are") + " done");
}

void Batch::fail_elsewhere(std::size_t recording, ErrorKind kind, const std::string& what) {
  log_.error(what);
  failures_[recording] = kind;
  progress_->failed_elsewhere();
}

// Writes the lists of a complete batch. The lists of one shard would overwrite those of the other shards.
void Batch::tell_lists() {
  if (!plan_.shard.shard.whole()) {
    const std::string list = options_.list.empty() ? "" : " --list " + quoted_for_shell(options_.list.string());
    std::printf("shard      %s: %s of %s; `beatscan cohort %s%s` lists those of all shards\n",
                text_of(plan_.shard.shard).c_str(), grouped(std::ssize(plan_.recordings)).c_str(),
                grouped(plan_.recordings_of_all, "recording").c_str(), quoted_for_shell(options_.out.string()).c_str(),
                list.c_str());
    return;
  }
  if (outcome().failed == rows_.size()) return write_failures(options_.out, rows_);
  write_cohort(options_.out, rows_, options_.beats);
  if (!options_.embedded) std::printf("batch      %s\n", (options_.out / kCohortPage).c_str());
}

void Batch::choose_devices() {
  auto gpus = gpus_to_use(config_, gpus_left_, log_);
  if (!plan_.batch && !gpus.empty()) gpus.resize(1);
  std::vector<std::int64_t> rooms, needs;
  for (const auto& recording : plan_.recordings) needs.push_back(plan_.batch ? memory_needed(recording.input) : 0);
  devices_ = batch_devices(gpus, needs, options_.in_flight);
  for (const auto& device : devices_) {
    at_a_time_ += device.recordings;
    rooms.push_back(room_on(device.gpu, config_.pool));
  }
  if (!devices_[0].stays_on.empty()) log_.info("threads stay on the processors near their GPU");
  lost_.resize(devices_.size());
  worker_processes_on_.resize(devices_.size());
  const int tasks = plan_.local ? std::max(1, plan_.local->size) : 1;  // these share the host's memory
  queue_.emplace(std::move(needs), rooms, room_on(std::nullopt, config_.pool) / tasks);
}

// Starts all threads but one; the calling thread is the last. If the system refuses a thread, the existing ones do its
// work. A device without a thread counts as lost, so that the other devices do not reserve recordings for it.
void Batch::start_threads() {
  std::vector<std::jthread> threads;
  for (std::size_t device = 0; device < devices_.size(); ++device)
    for (int i = device == 0 ? 1 : 0; i < devices_[device].recordings; ++i) try {
        threads.emplace_back([this, device] { work(device); });
      } catch (const std::system_error&) {
        if (i == 0) lose(device);
        break;
      }
  work(0);
}

void Batch::work(std::size_t device) noexcept {
  try {
    work_until_done(device);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!stopped_by_) stopped_by_ = std::current_exception();
    queue_->stop();
  }
}

void Batch::work_until_done(std::size_t device) {
  const OnProcessors processors(devices_[device].stays_on);
  const ShareOfThisThread share(at_a_time_ > 1 ? &processors_.share() : nullptr);
  Worker worker(config_, devices_[device].gpu, log_, !plan_.batch);
  while (const auto taken = queue_->take(device)) {
    const Processors::Use use(processors_);
    if (!try_one(worker, device, *taken, false)) return;
  }
  worker.check_nothing_held();
}

// Analyses one recording. A failure does not affect the others. Returns whether this thread continues with its device.
bool Batch::try_one(Worker& worker, std::size_t& device, JobQueue::Taken taken, bool on_cpu) {
  throw_if_interrupted();
  Job& job = job_of(taken.job);
  const std::string input = job.request.input.string();
  try {
    rows_[taken.job] = row_of(worker, job, on_cpu);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::device && devices_[device].gpu && !on_cpu)
      return after_gpu_failure(worker, device, taken, error);
    if (!plan_.batch) throw;
    fail_one(job, error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    if (!plan_.batch) throw;
    fail_one(job, ErrorKind::internal, input + ": out of memory");
  } catch (const std::exception& error) {
    if (!plan_.batch) throw;
    fail_one(job, ErrorKind::internal, input + ": " + unexpected_error(error));
  }
  finish(device, taken);
  return true;
}

// Marks a recording as done and closes its files.
void Batch::finish(std::size_t device, JobQueue::Taken taken) {
  jobs_[taken.job].reset();
  queue_->finish(device, taken);
}

// Claims a recording of a batch, so that two processes with the same --out do not both analyse it.
CohortRow Batch::row_of(Worker& worker, Job& job, bool on_cpu) {
  if (!plan_.batch || job.claim) return claimed_row_of(worker, job, on_cpu);
  if (auto claim = Claim::take(job.folder,
                               job.request.config.output.deidentify ? fs::path(job.request.name) : job.request.input)) {
    job.claim.emplace(std::move(*claim));
    return claimed_row_of(worker, job, on_cpu);
  }
  log_.info(job.folder.string() + ": another process is analysing it, so it is skipped");
  progress_->kept();
  return {.input = job.request.config.output.deidentify ? job.request.name : job.request.input.string(),
          .name = job.folder.filename().string(),
          .state = RecordingState::running};
}

CohortRow Batch::claimed_row_of(Worker& worker, Job& job, bool on_cpu) {
  // Existing results are refused at the start, unless --resume or --force is given. A result found here was therefore
  // written by another process in the meantime.
  const bool meanwhile = plan_.batch && !options_.resume && !common_.force;
  if ((options_.resume || meanwhile) && is_complete(job, common_.force)) {
    log_.info(job.folder.string() + (meanwhile ? ": another process has written it in the meantime, so it is kept"
                                               : ": complete already, skipped"));
    std::error_code ignored;
    fs::remove(job.request.checkpoint, ignored);
    if (plan_.batch) remove_failure(job.folder);
    if (progress_) progress_->kept();
    return stored_cohort_row(job.folder);
  }
  // Batches are usually started with --resume, so a missing checkpoint is not reported.
  std::error_code unknown;
  if (plan_.batch && !fs::exists(job.request.checkpoint, unknown)) job.request.resume = false;
  CohortRow row = made_row_of(worker, job, on_cpu);
  if (plan_.batch) remove_failure(job.folder);
  if (progress_) progress_->made();
  return row;
}

CohortRow Batch::made_row_of(Worker& worker, Job& job, bool on_cpu) {
  if (!on_cpu && worker.uses_worker_process()) return row_by_worker_process(worker, job);
  OutputFolder output(job.folder, common_.force,
                      plan_.batch ? TemporaryFilesOf::are_cleaned_up : TemporaryFilesOf::clean_up);
  return on_cpu ? worker.run_on_cpu(job, output) : worker.run(job, output);
}

void Batch::fail_one(const Job& job, ErrorKind kind, const std::string& what) {
  log_.error(what);
  failures_[job.index] = kind;
  CohortRow& row = rows_[job.index];
  const bool neutral = job.request.config.output.deidentify;
  constexpr const char* kWithoutReason = "failed; run it without --deidentify to see why";  // it may quote the file
  row = failed_row(neutral ? job.request.name : job.request.input.string(), job.folder.filename().string(),
                   static_cast<int>(status_of(kind)), neutral ? kWithoutReason : what);
  progress_->failed();
  std::error_code unknown;
  const bool made_elsewhere = fs::exists(job.folder / "summary.json", unknown) && !options_.resume && !common_.force;
  if (made_elsewhere) return;  // another process has succeeded
  try {
    write_failure(job.folder, row);
  } catch (const Error& error) {
    // One warning is enough: on a full disk no record can be written, and each failure has been reported above.
    std::call_once(not_kept_,
                   [&] { log_.warning(std::string("failures cannot be recorded for `cohort`: ") + error.what()); });
  }
}

BatchOutcome Batch::outcome() const {
  BatchOutcome outcome{.recordings = plan_.recordings.size()};
  for (const auto& failure : failures_) {
    outcome.failed += failure.has_value();
    if (!outcome.first_failure) outcome.first_failure = failure;
  }
  return outcome;
}

}  // namespace beatscan
