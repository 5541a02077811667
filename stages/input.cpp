#include "stages/input.h"

namespace beatscan {
namespace {

SignalInfo look_at_csv(const InputFile& text, const IngestOptions& options) {
  const CsvHeader header = read_csv_header(text, csv_options(options));
  SignalInfo signal = csv_signal(header);
  if (header.time_column >= 0) signal.rate_origin = RateOrigin::time_column;
  return signal;
}

}  // namespace

Input resolve_input(const std::filesystem::path& path, const IngestOptions&) {
  const auto file = std::make_shared<const InputFile>(path);
  return {file->path(), {{path, file}}, file->size()};
}

SignalInfo look_at(const Input& input, const IngestOptions& options) {
  return look_at_csv(*text_of(input.parts.front().open()), options);
}

std::optional<SignalInfo> first_look(const std::filesystem::path& path, const IngestOptions& options) {
  if (!std::filesystem::is_regular_file(path)) return std::nullopt;
  const Input input = resolve_input(path, options);
  if (is_packed(*input.parts.front().open())) return std::nullopt;
  return look_at(input, options);
}

template <class Context>
Recording<Context> read_recording(Context& context, const Input& input, const IngestOptions& options,
                                  const BytesReport& on_bytes) {
  return ingest(context, *text_of(input.parts.front().open()), options, on_bytes);
}

template Recording<Cpu> read_recording(Cpu&, const Input&, const IngestOptions&, const BytesReport&);
#ifdef BEATSCAN_WITH_CUDA
template Recording<Cuda> read_recording(Cuda&, const Input&, const IngestOptions&, const BytesReport&);
#endif

}  // namespace beatscan
