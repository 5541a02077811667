#include "app/run/batch.h"

#include <array>
#include <cstdio>
#include <deque>
#include <future>
#include <new>
#include <optional>
#include <set>

#include "app/report/cohort_page.h"
#include "app/result/output_folder.h"
#include "app/run/checkpoint.h"
#include "app/run/device.h"
#include "app/run/progress.h"
#include "app/run/resume.h"
#include "app/run/run_recording.h"
#include "kernels/runtime/current_device.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"

namespace beatscan {
namespace fs = std::filesystem;

std::vector<fs::path> folders_for(const RunOptions& options) {
  if (options.inputs.size() == 1) return {options.out};
  std::vector<fs::path> folders;
  std::set<fs::path> taken = {options.out / kCohortPage, options.out / kCohortTable};
  for (const auto& input : options.inputs) {
    fs::path folder = options.out / record_name(input);
    for (int i = 2; !taken.insert(folder).second; ++i)
      folder = options.out / (record_name(input) + "-" + std::to_string(i));
    folders.push_back(folder);
  }
  return folders;
}

namespace {

// Each made a few recordings ahead: hashing a file takes longer than reading and analysing it.
class Requests {
 public:
  Requests(const Config& config, const RateGiven& rate, const RunOptions& options,
           const std::vector<NamedArray>* parameters)
      : config_(config), rate_(rate), options_(options), parameters_(parameters), folders_(folders_for(options)) {
    for (std::size_t i = 0; i < kAhead; ++i) make_next();
  }
  const RunRequest& operator[](std::size_t i) const { return requests_[i]; }
  const fs::path& folder(std::size_t i) const { return folders_[i]; }
  std::size_t size() const { return folders_.size(); }
  // A checkpoint of the device that failed is of no use to the other.
  void start_over(std::size_t i) { requests_[i].resume = false; }
  void done(std::size_t i) {
    requests_[i].sha256.reset();
    requests_[i].files.reset();
    make_next();
  }

 private:
  static constexpr std::size_t kAhead = 4;
  void make_next() {
    const std::size_t i = requests_.size();
    if (i == size()) return;
    requests_.push_back({options_.inputs[i], config_, rate_, options_.save_arrays, options_.model, parameters_});
    requests_.back().with_truth = !options_.truth.empty();
    requests_.back().checkpoint = checkpoint_path(folders_[i]);
    requests_.back().resume = options_.resume;
    open_input(requests_.back());
  }
  const Config& config_;
  const RateGiven& rate_;
  const RunOptions& options_;
  const std::vector<NamedArray>* parameters_;  // of a saved model, or nullptr
  std::vector<fs::path> folders_;
  std::deque<RunRequest> requests_;  // a deque: references to elements stay good
};

// One kind of device. While a recording is analysed the next can be read: two contexts take turns.
template <class Context>
class Lane {
 public:
  template <class Make>
  explicit Lane(Make&& make) : contexts_{make(), make()} {}

  Context& context(std::size_t i) { return contexts_[i % 2]; }

  OpenedRecording<Context> take(std::size_t i, const RunRequest& request, Log& log) {
    if (ahead_.valid() && ahead_of_ == i) return ahead_.get();
    return open_recording(context(i), request, ingest_progress(log));
  }

  // Behind the progress of a training, so without its own.
  // The request is copied: the recording before may fail, and then this one be given up while it is read.
  void read_ahead(std::size_t i, const RunRequest& request) {
    ahead_ = {};  // waits for one that was not taken: it works on a context
    ahead_of_ = i;
    ahead_ = std::async(std::launch::async, [this, i, request] {
      make_current(context(i));
      return open_recording(context(i), request, [](auto...) { throw_if_interrupted(); });
    });
  }

  // Whether the device still does what it is asked to.
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
          throw Error(ErrorKind::internal,
                      "device pool: " + std::to_string(context.pool().held_bytes()) + " bytes still held at exit");
  }

 private:
  std::array<Context, 2> contexts_;
  std::future<OpenedRecording<Context>> ahead_;  // gone before the contexts are
  std::size_t ahead_of_ = 0;
};

class Batch {
 public:
  Batch(const CommonOptions& common, const RunOptions& options, const Config& config, Requests& requests, Log& log)
      : common_(common),
        options_(options),
        config_(config),
        requests_(requests),
        log_(log),
        fallback_(
            config.device == DeviceChoice::automatic, [this] { return gpu_works(); }, log) {
    cohort_.reserve(requests.size());
  }

  BatchOutcome run() {
    on_gpu_ = use_cuda(config_, log_);
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      throw_if_interrupted();
      run_one(i);
      requests_.done(i);
    }
    if (requests_.size() > 1 && failed_ < requests_.size()) {
      write_cohort(options_.out, cohort_);
      std::printf("batch      %s\n", (options_.out / kCohortPage).c_str());
    }
    check_nothing_held();
    if (failed_ > 0)
      log_.error(std::to_string(failed_) + " of " + std::to_string(requests_.size()) + " recordings failed");
    return {requests_.size(), failed_, first_failure_};
  }

 private:
  // What keeps one recording from being analysed is no reason to lose the others.
  void run_one(std::size_t i) {
    try {
      cohort_.push_back(row_of(i));
    } catch (const Error& error) {
      if (requests_.size() == 1) throw;
      fail(i, error.kind(), error.what());
    } catch (const std::bad_alloc&) {
      if (requests_.size() == 1) throw;
      fail(i, ErrorKind::internal, options_.inputs[i].string() + ": out of memory");
    } catch (const std::exception& error) {
      if (requests_.size() == 1) throw;
      fail(i, ErrorKind::internal, options_.inputs[i].string() + ": internal error: " + error.what());
    }
  }

  void fail(std::size_t i, ErrorKind kind, const std::string& what) {
    log_.end_progress();
    log_.error(what);
    cohort_.push_back(
        {.input = options_.inputs[i].string(), .name = requests_.folder(i).filename().string(), .failure = what});
    if (!first_failure_) first_failure_ = kind;
    ++failed_;
  }

  CohortRow row_of(std::size_t i) {
    if (options_.resume && is_complete(requests_.folder(i), requests_[i], common_.force)) {
      log_.info(requests_.folder(i).string() + ": complete already, skipped");
      std::error_code ignored;
      fs::remove(requests_[i].checkpoint, ignored);
      return stored_cohort_row(requests_.folder(i));
    }
    OutputFolder output(requests_.folder(i), common_.force);
    const auto on_cpu = [&] {
      if (on_gpu_) requests_.start_over(i);
      return on_lane(
          cpu_, [] { return Cpu(); }, i, output);
    };
#ifdef BEATSCAN_WITH_CUDA
    if (on_gpu_)
      return fallback_.run(
          options_.inputs[i].string(),
          [&] {
            return on_lane(
                gpu_, [this] { return Cuda(config_.cuda_device, config_.pool); }, i, output);
          },
          on_cpu);
#endif
    return on_cpu();
  }

  template <class Context, class Make>
  CohortRow on_lane(std::optional<Lane<Context>>& lane, Make&& make, std::size_t i, OutputFolder& output) {
    if (!lane) lane.emplace(make);
    auto opened = lane->take(i, requests_[i], log_);
    if (i + 1 < requests_.size() && !is_skipped_soon(i + 1)) lane->read_ahead(i + 1, requests_[i + 1]);
    return run_recording(lane->context(i), std::move(opened), requests_[i], common_, options_, output,
                         requests_.folder(i), log_);
  }

  // Not worth reading ahead.
  bool is_skipped_soon(std::size_t i) const {
    std::error_code unknown;
    return options_.resume && fs::exists(requests_.folder(i) / "summary.json", unknown);
  }

  bool gpu_works() {
#ifdef BEATSCAN_WITH_CUDA
    return gpu_ && gpu_->works();
#else
    return false;
#endif
  }

  // After an error of CUDA nothing can be given back.
  void check_nothing_held() {
#ifdef BEATSCAN_WITH_CUDA
    if (gpu_ && fallback_.gpu_works()) gpu_->check_nothing_held();
#endif
  }

  const CommonOptions& common_;
  const RunOptions& options_;
  const Config& config_;
  Requests& requests_;
  Log& log_;
  DeviceFallback fallback_;
  bool on_gpu_ = false;
  std::optional<Lane<Cpu>> cpu_;
#ifdef BEATSCAN_WITH_CUDA
  std::optional<Lane<Cuda>> gpu_;
#endif
  std::vector<CohortRow> cohort_;
  std::size_t failed_ = 0;
  std::optional<ErrorKind> first_failure_;
};

}  // namespace

BatchOutcome run_batch(const CommonOptions& common, const RunOptions& options, const Config& config,
                       const RateGiven& rate, const std::vector<NamedArray>* parameters, Log& log) {
  Requests requests(config, rate, options, parameters);
  return Batch(common, options, config, requests, log).run();
}

}  // namespace beatscan
