// tests/support/analysed.h — analyses a generated recording on either device, for tests that look at a whole result.
#pragma once

#include <string>
#include <vector>

#include "app/run/pipeline.h"
#include "app/synthetic/generate.h"
#include "app/text/log.h"
#include "tests/support/backends.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {

template <class Context>
class AnalysedOn : public OnBackend<Context> {
 protected:
  // Returns the result of this many samples of generated ECG, a tenth of whose beats are abnormal.
  RunResult result_of(std::int64_t samples, const std::vector<std::string>& settings) {
    const auto path = folder_.path() / "ecg.csv";
    generate(Cpu(1), {.samples = samples, .abnormal_share = 0.1}, path, true);
    std::vector<std::string> all = {"ingest.sample_rate_hz=250", "vae.epochs=2"};
    all.insert(all.end(), settings.begin(), settings.end());
    config_ = load_config("", all);
    const RunRequest request{.input = path, .config = config_, .rate = {}, .save_arrays = true};
    Log log(0, LogFormat::text);
    auto opened = open_recording(this->context(), request, open_input(request));
    return analyse(this->context(), std::move(opened), request, log);
  }

  TemporaryFolder folder_;
  Config config_;
};

}  // namespace beatscan
