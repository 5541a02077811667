// tests/support/analysed.h — analyses a generated recording on either device, for tests of complete results.
#pragma once

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "app/common/log.h"
#include "app/pipeline/pipeline.h"
#include "app/synthetic/generate.h"
#include "tests/support/backends.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {

template <class Context>
class AnalysedOn : public OnBackend<Context> {
 protected:
  // Returns the result of this many samples of ECG, of whose beats a tenth are abnormal. The first `noisy` samples have
  // noise of 0.8 mV.
  RunResult result_of(std::int64_t samples, const std::vector<std::string>& settings, std::int64_t noisy = 0) {
    const auto path = folder_.path() / "ecg.csv";
    std::vector<float> ecg(samples);
    SyntheticEcg(samples, 250, 0.1, 1).render(0, ecg);
    std::mt19937 random(1);
    std::normal_distribution<float> noise(0, 0.8F);
    for (std::int64_t i = 0; i < noisy; ++i) ecg[i] += noise(random);
    std::ofstream file(path);
    file << "ecg\n";
    for (const float value : ecg) file << value << "\n";
    file.close();
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
