// app/run/lane.h — one device on which recordings are analysed one after the other, each read while the one before it
// trains.
#pragma once

#include <array>
#include <cstddef>
#include <future>
#include <string>
#include <type_traits>

#include "app/run/job.h"
#include "app/run/progress.h"
#include "kernels/runtime/current_device.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"

namespace beatscan {

template <class Context>
class Lane {
 public:
  // make() gives a context of the device. Two contexts take turns, so that one reads while the other trains.
  template <class Make>
  explicit Lane(Make&& make) : contexts_{make(), make()} {}

  Context& context(const Job& job) { return contexts_[job.index % 2]; }

  // Returns the job's recording, which was read ahead or is read now.
  OpenedRecording<Context> take(const Job& job, Log& log) {
    if (ahead_.valid() && ahead_of_ == job.index) return ahead_.get();
    return open_recording(context(job), job.request, job.input.get(), ingest_progress(log));
  }

  // Begins to read the job's recording. It shows no progress, for a training shows its own meanwhile. The job is
  // copied: this lane may still be reading it when the batch has given it up.
  void read_ahead(const Job& job) {
    ahead_ = {};  // waits for a recording that was not taken, for it works on a context
    ahead_of_ = job.index;
    ahead_ = std::async(std::launch::async, [this, job] {
      make_current(context(job));
      return open_recording(context(job), job.request, job.input.get(), [](auto...) { throw_if_interrupted(); });
    });
  }

  // Tells whether the device still does what it is asked to.
  bool works() {
    if (ahead_.valid()) ahead_.wait();
    try {
      const Buffer<float, Context> probe(contexts_[0], 1);
      contexts_[0].synchronize();
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  void check_nothing_held() {
    ahead_ = {};
    if constexpr (std::is_same_v<Context, Cuda>)
      for (auto& context : contexts_)
        if (context.pool().held_bytes() != 0)
          fail(ErrorKind::internal, "device pool",
               std::to_string(context.pool().held_bytes()) + " bytes still held at exit");
  }

 private:
  std::array<Context, 2> contexts_;
  std::future<OpenedRecording<Context>> ahead_;  // declared behind the contexts, so that it is destroyed before them
  std::size_t ahead_of_ = 0;
};

}  // namespace beatscan
