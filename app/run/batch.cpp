#include "app/run/batch.h"

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "app/report/cohort_page.h"
#include "app/result/output_folder.h"
#include "app/run/resume.h"
#include "app/run/worker.h"
#include "stages/common/interrupt.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

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

BatchOutcome run_batch(const CommonOptions& common, const RunOptions& options, const Config& config,
                       const RateGiven& rate, const std::shared_ptr<const ModelToUse>& model, Log& log) {
  return Batch(jobs_for(common, options, config, rate, model), options, common.force, log).run(config);
}

}  // namespace beatscan
