#include "kernels/runtime/parallel.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "kernels/machine/condition_variable.h"
#include "kernels/machine/host_threads.h"
#include "kernels/machine/processor_set.h"

namespace beatscan {
namespace {

// One call of run_parts. It lives on the caller's stack, so workers touch it only under the lock or while they work on
// one of its parts.
struct Job {
  const std::function<void(std::int64_t)>& part;
  std::int64_t parts;
  const Job* within;  // the job that the caller was working on a part of; nullptr outside of any
  const Share* share = share_of_this_thread();
  std::int64_t begun = 0, done = 0;
  std::int64_t failed_part = 0;  // the first part that threw, if there is an error
  std::exception_ptr error;
  mutable std::condition_variable changed;  // all parts are done, or there are new parts to help with

  bool is_within(const Job& other) const {
    const Job* job = this;
    while (job && job != &other) job = job->within;
    return job != nullptr;
  }
};

thread_local const Job* own_job = nullptr;  // that this thread works on a part of

// The worker threads of run_parts. They are started once: in some containers a start takes longer than the work.
class Workers {
 public:
  Workers() {
    const int count = process_threads() - 1;          // the caller works too
    const OnProcessors all(processors_of_process());  // the threads would inherit the processors of the caller
    try {
      for (int i = 0; i < count; ++i) std::thread([this] { work(); }).detach();
    } catch (const std::exception&) {  // no thread can be started: the existing ones do all the work
    }
  }

  void run(std::int64_t parts, const std::function<void(std::int64_t)>& part) {
    Job job{.part = part, .parts = parts, .within = own_job};
    std::unique_lock lock(mutex_);
    jobs_.push_back(&job);
    wake(parts - 1);
    for (const Job* outer = job.within; outer; outer = outer->within) outer->changed.notify_all();
    while (job.begun < job.parts) run_one(job, lock);  // part 0 is done here: no other thread has had the lock yet
    wait_for(job, lock);
    if (job.error) std::rethrow_exception(job.error);
  }

 private:
  // Wakes as many threads as there are parts for, or all by one system call. Threads that find nothing to do would
  // still take the lock, one after the other.
  void wake(std::int64_t parts) {
    constexpr std::int64_t kFew = 8;
    if (parts > kFew) return wake_.notify_all();
    for (std::int64_t i = 0; i < parts; ++i) wake_.notify_one();
  }

  // Waits until all parts of a job are done. Meanwhile it helps with jobs that these parts have started: threads that
  // have none of them left would else be idle while another does all the work of the last one. Parts of other jobs
  // would hold up the caller.
  void wait_for(Job& job, std::unique_lock<std::mutex>& lock) {
    while (job.done < job.parts) {
      const auto inner = std::ranges::find_if(jobs_, [&](const Job* other) { return other->is_within(job); });
      if (inner != jobs_.end())
        run_one(**inner, lock);
      else
        job.changed.wait(lock);
    }
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return !jobs_.empty(); });
      run_one(*jobs_.front(), lock);
    }
  }

  // Runs the next part of a job that has one left. The caller holds the lock, before and after.
  void run_one(Job& job, std::unique_lock<std::mutex>& lock) {
    const std::int64_t part = job.begun++;
    if (job.begun == job.parts) std::erase(jobs_, &job);
    lock.unlock();
    std::exception_ptr error;
    const Job* const outer = std::exchange(own_job, &job);
    try {
      const ShareOfThisThread share(job.share);
      job.part(part);
    } catch (...) {
      error = std::current_exception();
    }
    own_job = outer;
    lock.lock();
    if (error && (!job.error || part < job.failed_part)) {
      job.error = std::move(error);
      job.failed_part = part;
    }
    if (++job.done == job.parts) job.changed.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job*> jobs_;  // only jobs with parts left
};

std::mutex making;  // of the workers
std::atomic<Workers*> made = nullptr;

// Returns the workers of this process. They are never destroyed: their threads may outlive main. A forked process has
// none of the threads, and a condition variable on which they waited would hold it up: it gets workers of its own.
Workers& workers_of_process() {
  if (Workers* const workers = made) return *workers;
  const std::lock_guard lock(making);
  static const int registered = pthread_atfork([] { making.lock(); }, [] { making.unlock(); },
                                               [] {
                                                 made = nullptr;
                                                 making.unlock();
                                               });
  if (!made && registered == 0) made = new Workers;
  if (!made) throw std::bad_alloc();
  return *made;
}

// Runs all parts on the calling thread.
void run_in_turn(std::int64_t parts, const std::function<void(std::int64_t)>& part) {
  std::exception_ptr error;
  for (std::int64_t i = 0; i < parts; ++i) try {
      part(i);
    } catch (...) {
      if (!error) error = std::current_exception();
    }
  if (error) std::rethrow_exception(error);
}

}  // namespace

void run_parts(std::int64_t parts, const std::function<void(std::int64_t)>& part) {
  if (parts <= 0) return;
  if (host_threads() == 1) return run_in_turn(parts, part);
  workers_of_process().run(parts, part);
}

void run_items(int threads, std::int64_t n, const std::function<void(std::int64_t)>& item) {
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::int64_t failed = n;
  std::exception_ptr error;
  const auto work = [&](std::int64_t) {
    for (std::int64_t i = next++; i < n; i = next++) try {
        item(i);
      } catch (...) {  // items before this one are done or under way
        next = n;
        const std::lock_guard lock(mutex);
        if (i < failed) error = std::current_exception();
        failed = std::min(failed, i);
      }
  };
  if (threads == 1 || n == 1)
    work(0);
  else
    run_parts(std::min<std::int64_t>(threads, n), work);
  if (error) std::rethrow_exception(error);
}

}  // namespace beatscan
