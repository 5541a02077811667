#include "stages/io/input.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "kernels/runtime/error.h"
#include "stages/io/arrays/mat_file.h"
#include "stages/io/arrays/npy_file.h"
#include "stages/io/columns/column_source.h"
#include "stages/io/csv/csv_header.h"
#include "stages/io/csv/csv_signal.h"
#include "stages/io/csv/ingest.h"
#include "stages/io/csv/ingest_options.h"
#include "stages/io/edf/edf_file.h"
#include "stages/io/ishne/ishne_file.h"
#include "stages/io/wfdb/wfdb_record.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

SignalInfo look_at_csv(const InputFile& text, const IngestOptions& options) {
  const CsvHeader header = read_csv_header(text, csv_options(options));
  SignalInfo signal = csv_signal(header);
  if (header.time_column >= 0 && !signal.sample_rate_hz) signal.rate_origin = RateOrigin::time_column;
  return signal;
}

// Returns the samples of a file of any format but CSV; nothing for CSV.
std::optional<SampleSource> source_of_file(const std::shared_ptr<const InputFile>& file, const IngestOptions& options,
                                           RowTimes times) {
  if (is_npy(*file)) return npy_source(file, lead_choice(options));
  if (is_mat(*file)) return mat_source(file, lead_choice(options), options.variable);
  if (is_edf(*file)) return edf_source(file, lead_choice(options), times == RowTimes::read);
  if (is_ishne(*file)) return ishne_source(file, lead_choice(options));
  if (const auto format = column_format(*file)) return column_source(file, *format, options, times);
  return std::nullopt;
}

// Returns whether a .mat file is the signal file of the WFDB header next to it, as in PhysioNet's challenges.
bool is_named_in(const fs::path& header, const std::string& file) {
  std::ifstream text(header, std::ios::binary);
  std::string start(1 << 16, '\0');
  text.read(start.data(), std::ssize(start));
  start.resize(static_cast<std::size_t>(text.gcount()));
  return start.find(file) != start.npos;
}

template <class Context>
Recording<Context> read_parts(Context& context, const Input& input, const IngestOptions& options,
                              const BytesReport& on_bytes) {
  const auto read = [&](SampleSource source) {
    source.signal.missing_code = options.missing;
    return read_samples(context, source, on_bytes);
  };
  if (input.record) return read(source_of(input.record));
  const auto file = unpacked(input.parts.front().open());
  if (const auto source = source_of_file(file, options, RowTimes::read)) return read(*source);
  return ingest(context, *file, options, on_bytes);
}

// Refuses a signal file or an annotation file that lies next to the header of its record, and names the header.
void refuse_part_of_record(const fs::path& path) {
  static constexpr std::array<std::string_view, 3> kAnnotations = {".atr", ".qrs", ".vae"};
  const fs::path header = fs::path(path).replace_extension(".hea");
  std::error_code unknown;
  if (!fs::exists(header, unknown)) return;
  if (path.extension() == ".dat")
    fail(ErrorKind::input, path.string(), "is a signal file of a WFDB record; give its header, " + header.string());
  if (std::ranges::count(kAnnotations, path.extension().string()) > 0)
    fail(ErrorKind::input, path.string(),
         "is an annotation file of a WFDB record; give the record, " + header.string() + ", with --truth " +
             path.string());
}

}  // namespace

std::optional<fs::path> wfdb_header_of(const fs::path& path) {
  if (path == "-") return std::nullopt;
  if (path.extension() == ".hea") return path;
  std::error_code unknown;
  if (path.extension() == ".mat") {
    const fs::path beside = fs::path(path).replace_extension(".hea");
    if (fs::is_regular_file(beside, unknown) && is_named_in(beside, path.filename().string())) return beside;
  }
  if (fs::exists(path, unknown) && !fs::is_directory(path, unknown)) return std::nullopt;
  const fs::path header(path.string() + ".hea");
  return fs::exists(header, unknown) ? std::optional(header) : std::nullopt;
}

Input resolve_input(const fs::path& path, const IngestOptions& options) {
  if (const auto header = wfdb_header_of(path)) {
    const auto record = std::make_shared<const WfdbRecord>(open_wfdb(*header, lead_choice(options)));
    return {record->path, record->files, record->bytes, record};
  }
  const auto file = std::make_shared<const InputFile>(path);
  refuse_part_of_record(path);
  return {file->path(), {{path, file}}, file->size()};
}

SignalInfo look_at(const Input& input, const IngestOptions& options) {
  if (input.record) return input.record->signal;
  const auto file = unpacked(input.parts.front().open());
  const auto source = source_of_file(file, options, RowTimes::leave);
  return source ? source->signal : look_at_csv(*file, options);
}

std::optional<SignalInfo> first_look(const fs::path& path, const IngestOptions& options) {
  std::error_code unknown;
  if (!wfdb_header_of(path) && !fs::is_regular_file(path, unknown)) return std::nullopt;
  const Input input = resolve_input(path, options);
  if (is_packed(*input.parts.front().open())) return std::nullopt;
  return look_at(input, options);
}

template <class Context>
Recording<Context> read_recording(Context& context, const Input& input, const IngestOptions& options,
                                  const BytesReport& on_bytes) {
  auto recording = read_parts(context, input, options, on_bytes);
  for (const auto& part : input.parts) part.check_unchanged();
  return recording;
}

#define BEATSCAN_READ_RECORDING(Context) \
  template Recording<Context> read_recording(Context&, const Input&, const IngestOptions&, const BytesReport&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_READ_RECORDING)

}  // namespace beatscan
