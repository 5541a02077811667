#include "app/output/files/outputs.h"

#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/config/config.h"
#include "app/output/files/abnormal_csv.h"
#include "app/output/files/annotation_file.h"
#include "app/output/files/arrays.h"
#include "app/output/files/beats_table.h"
#include "app/output/files/csv_files.h"
#include "app/output/files/episodes_csv.h"
#include "app/output/files/features.h"
#include "app/output/files/multiqc.h"
#include "app/output/files/summary_json.h"
#include "app/output/files/wave_annotations.h"
#include "app/output/files/waves_table.h"
#include "app/output/model_file.h"
#include "app/output/output_folder.h"
#include "app/output/record_name.h"
#include "app/output/run_result.h"
#include "app/output/tables/parquet.h"
#include "app/output/tables/table_csv.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

using Works = std::vector<std::function<void()>>;

// Runs functions concurrently. If some throw, throws the exception of the first of them.
void run_side_by_side(const Works& works) {
  parallel_each(Cpu(), std::ssize(works), [&](std::int64_t i) { works[i](); });
}

void write_parts(OutputFolder& folder, const char* name, const std::vector<std::string>& parts) {
  folder.write_parts(name, std::vector<std::string_view>(parts.begin(), parts.end()));
}

// Returns functions that write the files that a page is made from, and other short files that do not need the table of
// beats.
Works short_files(OutputFolder& folder, const RunResult& result, const Config& config, const Json& config_json,
                  const Json& evaluation) {
  return {[&] { folder.write("summary.json", text_of(summary_json(result, config, evaluation)) + "\n"); },
          [&] { folder.write("config.json", text_of(config_json) + "\n"); },
          [&] { folder.write("generated.csv", generated_csv(result)); },
          [&] { folder.write(result.input.name + "_mqc.json", text_of(multiqc_json(result)) + "\n"); },
          [&] {
            if (result.beats.quality) folder.write("quality.csv", quality_csv(result));
          },
          [&] {
            if (result.findings) folder.write("templates.csv", templates_csv(result));
          },
          [&] {
            if (!result.rhythm) return;
            const auto& episodes = result.rhythm->episodes;
            folder.write("episodes.csv", episodes_csv(rhythm_beats(result), episodes, result.input.signal.start));
          },
          [&] {
            if (!result.model.why_none.empty()) return;
            const SavedModel model{config, result.model.parameters, result.model.usual};
            folder.write("model.safetensors", model_safetensors(model, config_json));
          },
          [&] { write_report_data(folder, result.report, result.beats.row_points); }};
}

// Returns functions that write the tables of beats and waves, and the saved arrays.
Works long_files(OutputFolder& folder, const RunResult& result, const Config& config, const Table& beats,
                 TableForm form) {
  const bool waves = config.output.waves && result.waves;
  return {[&, waves, form] {
            if (waves) write_waves(folder, result, config, form);  // takes the longest
          },
          [&, waves] {
            if (waves) folder.write(record_name(result.input.path) + ".waves", wave_annotations(result));
          },
          [&, form] {
            if (wants_csv(form)) write_parts(folder, "beats.csv", csv_parts(beats));
          },
          [&, form] {
            if (wants_parquet(form)) folder.write("beats.parquet", parquet_bytes(beats));
          },
          [&] { write_parts(folder, "abnormal.csv", abnormal_csv_parts(result)); },
          [&] { folder.write(record_name(result.input.path) + ".vae", annotation_file(result)); },
          [&] {
            if (result.features) write_features(folder, *result.features);
          },
          [&] {
            if (result.arrays) write_arrays(folder, result);
          }};
}

}  // namespace

void write_result(OutputFolder& folder, const RunResult& result, const Config& config, const Json& evaluation,
                  TableForm form, const std::function<void(const Table& beats)>& page) {
  Table beats;
  const Json config_json = to_json(config);
  Works works = short_files(folder, result, config, config_json, evaluation);
  works.insert(works.begin(), [&] { beats = beats_table(result); });  // takes the longest
  run_side_by_side(works);
  const Works longer = long_files(folder, result, config, beats, form);
  bool page_is_begun = !page;
  const auto make_page = [&] {
    if (!std::exchange(page_is_begun, true)) page(beats);
  };
  try {
    works = longer;
    works.insert(works.begin(), make_page);
    run_side_by_side(works);
  } catch (const std::bad_alloc&) {  // too little memory for all at once; finished ones have freed their share
    for (const auto& work : longer) work();
    make_page();  // unless it was begun
  }
}

}  // namespace beatscan
