#include "app/batch/job.h"

#include <algorithm>
#include <utility>

#include "app/batch/plan.h"
#include "app/batch/recordings.h"
#include "app/evaluation/truth.h"
#include "app/pipeline/checkpoint.h"
#include "app/pipeline/run_options.h"
#include "stages/io/recording/input_file.h"
#include "stages/io/recording/unpacked_size.h"

namespace beatscan {

namespace fs = std::filesystem;

Job job_for(const CommonOptions& common, const RunOptions& options, const Plan& plan, std::size_t i) {
  const ListedRecording& recording = plan.recordings[i];
  const fs::path folder = folder_of(plan, options, i);
  RunRequest request{.input = recording.input,
                     .config = config_of(plan, recording),
                     .rate = plan.rate,
                     .model = plan.model,
                     .models = plan.models,
                     .save_arrays = options.save_arrays,
                     .report = options.report,
                     .beats = options.beats,
                     .truth = recording.truth,
                     .checkpoint = checkpoint_path(folder),
                     .resume = options.resume,
                     .embedded = options.embedded,
                     .command = common.command};
  if (recording.sample_rate_hz) request.rate.source = "list";
  request.rate.needed = !recording.truth.empty();
  request.name = plan.batch ? recording.name : shortened_name(std::move(request.name));
  return {i, std::move(request), folder, std::nullopt, std::nullopt};
}

void open_job(Job& job) {
  if (job.input) return;
  job.input = open_input(job.request);
  if (!job.request.truth.empty()) read_truth(job.request.truth);
}

std::int64_t memory_needed(const fs::path& input) {
  // Twelve bytes a sample: WFDB's format 212 stores a sample in one and a half bytes. Text and wider formats need less.
  constexpr std::int64_t kBytesForOne = 8, kAtLeast = std::int64_t{64} << 20;
  // A WFDB record is named by its header, or without a file extension; any other file has an extension and is read
  // alone.
  const fs::path ending = input.extension();
  const fs::path signal = ending == ".hea" ? fs::path(input).replace_extension(".dat")
                          : ending.empty() ? fs::path(input.native() + ".dat")
                                           : input;
  std::error_code unknown;
  std::uintmax_t bytes = fs::file_size(signal, unknown);
  if (unknown && signal != input) bytes = fs::file_size(input, unknown);
  if (unknown) bytes = 0;
  // Opening every compressed file of a long list is slow; small ones cannot fill the memory.
  constexpr std::uintmax_t kLookedInto = 1 << 20;
  const bool is_packed = without_packing(input) != input;
  const auto unpacked = is_packed && bytes > kLookedInto ? unpacked_size(input) : static_cast<std::int64_t>(bytes);
  return kAtLeast + kBytesForOne * unpacked;
}

}  // namespace beatscan
