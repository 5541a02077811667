#include "app/run/job.h"

#include <exception>
#include <set>
#include <string>

#include "app/report/cohort_page.h"
#include "app/run/checkpoint.h"
#include "kernels/runtime/error.h"

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

std::vector<Job> jobs_for(const CommonOptions& common, const RunOptions& options, const Plan& plan) {
  const auto folders = folders_for(options);
  std::vector<Job> jobs;
  jobs.reserve(folders.size());
  for (std::size_t i = 0; i < folders.size(); ++i) {
    RunRequest request{.input = options.inputs[i],
                       .config = plan.config,
                       .rate = plan.rate,
                       .model = plan.model,
                       .save_arrays = options.save_arrays,
                       .report = options.report,
                       .truth = options.truth,
                       .checkpoint = checkpoint_path(folders[i]),
                       .resume = options.resume,
                       .command = common.command};
    if (folders.size() > 1) request.name = folders[i].filename().string();
    jobs.push_back({i, std::move(request), folders[i], {}});
  }
  return jobs;
}

void open_job(Job& job) {
  std::promise<OpenedInput> input;
  job.input = input.get_future();
  try {
    input.set_value(open_input(job.request));
  } catch (const Error&) {
    input.set_exception(std::current_exception());
  }
}

}  // namespace beatscan
