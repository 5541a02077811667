// app/batch/batch.h — all recordings of a command, on all devices.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/batch/devices.h"
#include "app/batch/plan.h"
#include "app/batch/run_command.h"
#include "app/batch/worker_processes.h"
#include "app/common/log.h"
#include "app/pipeline/run_options.h"
#include "app/report/cohort_row.h"

namespace beatscan {

class Worker;

// Shows the progress of a batch: on a terminal in one line that is redrawn, and otherwise in a line a minute. With
// --log-format json a line has the figures as fields.

struct BatchFigures {
  std::int64_t all = 0;
  std::int64_t made = 0, kept = 0, failed = 0;  // kept: complete before this run, or left to another process
  double elapsed_s = 0;

  std::int64_t done() const { return made + kept + failed; }
  // Returns how many recordings this run finishes per second. Kept results do not count, because they took no time.
  double per_second() const;
  // Returns the estimated time left; a negative number if unknown.
  double seconds_left() const;
};

// Returns "120 of 1,000 recordings, 2 failed, 14.2 a second, 1 min 2 s left".
std::string batch_figures_text(const BatchFigures& figures);

// Returns the figures as fields of a message.
Log::Figures fields_of(const BatchFigures& figures);

// Counts the recordings of a batch, from any thread, and shows the figures until it is destroyed.
class BatchProgress {
 public:
  BatchProgress(Log& log, std::int64_t recordings, std::chrono::milliseconds between_lines = std::chrono::minutes(1));
  ~BatchProgress();
  BatchProgress(BatchProgress&&) = delete;

  void made() { count(&BatchFigures::made); }
  void kept() { count(&BatchFigures::kept); }
  void failed() { count(&BatchFigures::failed); }
  void failed_elsewhere();  // a kept recording, left to another process, has failed there
  BatchFigures figures() const;

 private:
  void count(std::int64_t BatchFigures::*what);
  void tell() const;
  void tell_until(const std::stop_token& stop);

  Log& log_;
  const std::chrono::milliseconds between_lines_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  BatchFigures figures_;
  std::jthread teller_;  // declared last, so that it ends first
};

// Analyses the recordings of a run on all devices, several at a time.
//
// Each thread reads, analyses and writes one recording after another. Several threads share a GPU, which computes for
// one while another reads or writes. The files of a recording depend neither on the number of devices and threads nor
// on the order of analysis.

class Batch {
 public:
  // config: the plan's, restricted to the GPUs of this process; gpus_left: see hide_other_gpus
  Batch(const Plan& plan, const CommonOptions& common, const RunOptions& options, const Config& config,
        std::vector<int> gpus_left, Log& log);

  // Analyses all recordings. Throws Interrupted after a signal, and the recording's error if there is only one.
  BatchOutcome run();

 private:
  Job& job_of(std::size_t recording);
  void analyse_all();
  void look_at_what_was_left();
  void fail_elsewhere(std::size_t recording, ErrorKind kind, const std::string& what);
  void tell_what_is_done();
  void tell_lists();
  void choose_devices();
  void start_threads();
  void work(std::size_t device) noexcept;
  void work_until_done(std::size_t device);
  bool try_one(Worker& worker, std::size_t& device, JobQueue::Taken taken, bool on_cpu);
  bool after_gpu_failure(Worker& worker, std::size_t& device, JobQueue::Taken taken, const Error& error);
  void finish(std::size_t device, JobQueue::Taken taken);
  CohortRow row_of(Worker& worker, Job& job, bool on_cpu);
  CohortRow claimed_row_of(Worker& worker, Job& job, bool on_cpu);
  void fail_one(const Job& job, ErrorKind kind, const std::string& what);
  CohortRow made_row_of(Worker& worker, Job& job, bool on_cpu);
  void keep_worker_processes();
  CohortRow row_by_worker_process(Worker& worker, const Job& job);
  bool use_worker_process(Worker& worker, std::size_t& device);
  void leave_gpu(Worker& worker, std::size_t device);
  bool lose(std::size_t device);
  BatchOutcome outcome() const;

  const Plan& plan_;
  const CommonOptions& common_;
  const RunOptions& options_;
  const Config& config_;
  std::vector<int> gpus_left_;
  Log& log_;
  std::vector<BatchDevice> devices_;
  int at_a_time_ = 0;  // recordings on all devices together
  Processors processors_;
  Config config_of_worker_processes_;
  std::optional<WorkerProcesses> worker_processes_;  // nullopt: no worker processes
  std::optional<JobQueue> queue_;
  // [recordings] Only the thread that has taken a recording accesses its entries.
  std::vector<std::unique_ptr<Job>> jobs_;          // null: the recording is not in flight
  std::vector<CohortRow> rows_;                     // set when the recording is done
  std::vector<std::optional<ErrorKind>> failures_;  // nullopt: the recording has a result
  std::optional<BatchProgress> progress_;           // null: single recording
  std::mutex mutex_;                                // guards the members below
  std::vector<bool> lost_;                          // [devices] the device is no longer usable
  std::vector<int> worker_processes_on_;            // [devices] threads that use a worker process
  std::exception_ptr stopped_by_;                   // what ends the batch: a signal, or the error of the only recording
  std::once_flag log_lacks_some_;                   // warns once that --pool-log omits worker processes
  std::once_flag not_kept_;                         // warns once that a failure record cannot be written
};

}  // namespace beatscan
