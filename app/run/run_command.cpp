#include "app/run/run_command.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/files/pool_log_file.h"
#include "app/report/cohort_page.h"
#include "app/result/output_folder.h"
#include "app/run/job.h"
#include "app/run/plan.h"
#include "app/run/resume.h"
#include "app/run/worker.h"
#include "stages/common/interrupt.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

// Loads LibTorch, which takes 0.12 s, while CUDA starts, which takes 0.19 s. Both begin with a lock on the loader of
// libraries, which CUDA soon gives back and LibTorch does not: they overlap if CUDA has a head start. Nobody waits for
// the thread: the program ends by _exit.
void load_libtorch_meanwhile([[maybe_unused]] DeviceChoice device) {
  std::chrono::milliseconds head_start(0);
#ifdef BEATSCAN_WITH_CUDA
  if (device != DeviceChoice::cpu) head_start = std::chrono::milliseconds(30);
#endif
  std::thread([head_start] {
    std::this_thread::sleep_for(head_start);
    preload_vae();
  }).detach();
}

constexpr std::size_t kOpenedAhead = 4;  // hashing a file takes longer than reading and analysing it

bool has_summary(const Job& job) {
  std::error_code unknown;
  return fs::exists(job.folder / "summary.json", unknown);
}

class Batch {
 public:
  Batch(std::vector<Job> jobs, const RunOptions& options, bool force, Log& log)
      : jobs_(std::move(jobs)), options_(options), force_(force), log_(log) {
    cohort_.reserve(jobs_.size());
  }

  BatchOutcome run(const Config& config) {
    open_through(0);  // hashing begins before a GPU is asked for
    Worker worker(config, log_);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      throw_if_interrupted();
      open_through(i);
      cohort_.push_back(row_or_failure(worker, i));
      jobs_[i].input = {};  // closes the files
    }
    if (jobs_.size() > 1 && outcome_.failed < jobs_.size()) {
      write_cohort(options_.out, cohort_);
      std::printf("batch      %s\n", (options_.out / kCohortPage).c_str());
    }
    worker.check_nothing_held();
    if (outcome_.failed > 0)
      log_.error(std::to_string(outcome_.failed) + " of " + std::to_string(jobs_.size()) + " recordings failed");
    outcome_.recordings = jobs_.size();
    return outcome_;
  }

 private:
  // Opens this job and the ones behind it.
  void open_through(std::size_t i) {
    for (; opened_ < std::min(i + kOpenedAhead, jobs_.size()); ++opened_) open_job(jobs_[opened_]);
  }

  // One recording that cannot be analysed is no reason to lose the others.
  CohortRow row_or_failure(Worker& worker, std::size_t i) {
    try {
      return row_of(worker, i);
    } catch (const Error& error) {
      if (jobs_.size() == 1) throw;
      return failure(jobs_[i], error.kind(), error.what());
    } catch (const std::bad_alloc&) {
      if (jobs_.size() == 1) throw;
      return failure(jobs_[i], ErrorKind::internal, jobs_[i].request.input.string() + ": out of memory");
    } catch (const std::exception& error) {
      if (jobs_.size() == 1) throw;
      const std::string what = error.what();
      return failure(jobs_[i], ErrorKind::internal,
                     jobs_[i].request.input.string() + ": internal error: " + what.substr(0, what.find('\n')));
    }
  }

  CohortRow failure(const Job& job, ErrorKind kind, const std::string& what) {
    log_.end_progress();
    log_.error(what);
    if (!outcome_.first_failure) outcome_.first_failure = kind;
    ++outcome_.failed;
    return {.input = job.request.input.string(), .name = job.folder.filename().string(), .failure = what};
  }

  CohortRow row_of(Worker& worker, std::size_t i) {
    const Job& job = jobs_[i];
    if (options_.resume && is_complete(job, force_)) {
      log_.info(job.folder.string() + ": complete already, skipped");
      std::error_code ignored;
      fs::remove(job.request.checkpoint, ignored);
      return stored_cohort_row(job.folder);
    }
    OutputFolder output(job.folder, force_);
    return worker.run(job, worth_reading_ahead(i + 1) ? &jobs_[i + 1] : nullptr, output);
  }

  // A result that is there already will probably be skipped.
  bool worth_reading_ahead(std::size_t i) const {
    return i < jobs_.size() && !(options_.resume && has_summary(jobs_[i]));
  }

  std::vector<Job> jobs_;
  std::size_t opened_ = 0;  // so many jobs have been opened
  const RunOptions& options_;
  bool force_;
  Log& log_;
  std::vector<CohortRow> cohort_;
  BatchOutcome outcome_;
};

}  // namespace

BatchOutcome run_command(const CommonOptions& common, const RunOptions& options, Log& log) {
  const Plan plan = plan_of(common, options);
  if (common.dry_run) {
    print_plan(plan.config, common, options);
    return {.recordings = options.inputs.size()};
  }
  check_targets(plan.config, common, options);
  PoolLogFile pool_log(options.pool_log, common.force);
  load_libtorch_meanwhile(plan.config.device);
  try {
    Batch batch(jobs_for(common, options, plan), options, common.force, log);
    const BatchOutcome outcome = batch.run(plan.config);
    pool_log.write();
    return outcome;
  } catch (...) {
    pool_log.write_what_there_is();  // it helps most where memory was short
    throw;
  }
}

}  // namespace beatscan
