// app/batch/batch.h — takes the recordings of a run through all devices, several at a time.
//
// Each thread reads, analyses and writes one recording after the other. Several threads share a GPU: while one reads or
// writes, the GPU works for the others. The files of a recording do not depend on the number of devices and threads,
// nor on the order in which recordings are analysed.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/batch/capacity.h"
#include "app/batch/job.h"
#include "app/batch/job_queue.h"
#include "app/batch/processors.h"
#include "app/batch/run_command.h"
#include "app/batch/stand_ins.h"
#include "app/cohort/batch_progress.h"
#include "app/report/cohort_row.h"
#include "app/run/run_options.h"

namespace beatscan {

class Worker;
struct Plan;

class Batch {
 public:
  // config: that of the plan, with the GPUs of this process alone; gpus_left: see hide_other_gpus
  Batch(const Plan& plan, const CommonOptions& common, const RunOptions& options, const Config& config,
        std::vector<int> gpus_left, Log& log);

  // Analyses all recordings. Throws Interrupted after a signal, and the error of a recording that is the only one.
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
  void keep_stand_ins();
  CohortRow row_by_stand_in(Worker& worker, const Job& job);
  bool use_stand_in(Worker& worker, std::size_t& device);
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
  Config config_of_stand_ins_;
  std::optional<StandIns> stand_ins_;  // nothing: there are none
  std::optional<JobQueue> queue_;
  // [recordings] Only the thread that has taken a recording touches its places.
  std::vector<std::unique_ptr<Job>> jobs_;          // null: the recording is not in flight
  std::vector<CohortRow> rows_;                     // filled in when the recording is over
  std::vector<std::optional<ErrorKind>> failures_;  // nothing: the recording has its result
  std::optional<BatchProgress> progress_;           // nothing: there is one recording
  std::mutex mutex_;                                // guards the members below
  std::vector<bool> lost_;                          // [devices] the device works no more
  std::vector<int> stand_ins_on_;                   // [devices] threads that have a stand-in there
  std::exception_ptr stopped_by_;                   // what ends the batch: a signal, or the error of the only recording
  std::once_flag log_lacks_some_;                   // a warning tells that --pool-log leaves stand-ins out
  std::once_flag not_kept_;                         // a warning tells that the record of a failure cannot be written
};

}  // namespace beatscan
