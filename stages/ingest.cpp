#include "stages/ingest.h"

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/bits.h"
#include "kernels/check.h"
#include "kernels/csv.h"
#include "kernels/upload.h"

namespace beatscan {
namespace {

constexpr int kSlots = 4;          // chunks of text in flight
constexpr int kReaderThreads = 8;  // one alone does not reach the page cache's bandwidth

// Samples whose number is known only at the end: room is made from the bytes that are still to come.
template <class Context>
class SampleCollector {
 public:
  explicit SampleCollector(Context& context) : context_(context) {}

  // Room for `rows` more samples, of which `share` of the file's bytes (up to and with them) holds all so far.
  std::span<float> extend(std::int64_t rows, double share) {
    if (size_ + rows > samples_.size()) {
      const double expected = static_cast<double>(size_ + rows) / std::max(share, 1e-9) * 1.01;
      move_to(std::max(size_ + rows, static_cast<std::int64_t>(expected)));
    }
    size_ += rows;
    return samples_.span().subspan(static_cast<std::size_t>(size_ - rows), static_cast<std::size_t>(rows));
  }
  std::int64_t size() const { return size_; }
  Buffer<float, Context> take() {
    if (samples_.size() != size_) move_to(size_);
    return std::move(samples_);
  }

 private:
  void move_to(std::int64_t capacity) {
    Buffer<float, Context> larger(context_, capacity);
    copy<float>(context_, samples_.span().first(static_cast<std::size_t>(size_)),
                larger.span().first(static_cast<std::size_t>(size_)));
    samples_ = std::move(larger);
  }
  Context& context_;
  Buffer<float, Context> samples_;
  std::int64_t size_ = 0;
};

std::string shown(const char* first, const char* last) {
  while (last != first && last[-1] == '\r') --last;
  std::string text(first, std::min(last, first + 40));
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 32 || c == 127; }, '?');
  return "'" + text + (last - first > 40 ? "…'" : "'");
}

std::string description(const ParsedRow& row, const CsvLayout& layout) {
  const std::string counts =
      std::to_string(row.cells) + " cells where the first line has " + std::to_string(layout.columns);
  switch (row.fault) {
    case RowFault::not_a_number:
      return shown(row.first, row.last) + " is not a number";
    case RowFault::out_of_range:
      return shown(row.first, row.last) + " is out of float32's range";
    case RowFault::too_few_cells:
      return counts;
    case RowFault::too_many_cells:
      return counts;
    case RowFault::open_quote:
      return "a quote is not closed before the line ends: " + shown(row.first, row.last);
    case RowFault::none:
      break;
  }
  return "internal error: this row is good";
}

// Names line and byte of a bad row, from the text on the host.
[[noreturn]] void throw_bad_row(const InputFile& file, const CsvHeader& header, std::span<const char> text,
                                std::int64_t text_offset, std::int64_t row, std::int64_t rows_before) {
  const char* first = text.data();
  const char* const end = first + text.size();
  for (std::int64_t i = 0; i < row; ++i) first = std::find(first, end, '\n') + 1;
  const ParsedRow parsed = parse_row(first, std::find(first, end, '\n'), header.layout);
  throw Error(Status::input, file.path().string() + ":" + std::to_string(header.first_line + rows_before + row) +
                                 ": byte " + std::to_string(text_offset + (parsed.first - text.data())) + ": " +
                                 description(parsed, header.layout));
}

template <class Context>
void find_and_bridge_gaps(Context& context, Recording<Context>& recording) {
  Buffer<std::uint32_t, Context> words(context, words_for(recording.samples.size()));
  mark_missing(context, recording.samples, words);
  recording.gap_firsts = positions(context, words, Pick::run_firsts);
  recording.gap_lasts = positions(context, words, Pick::run_lasts);
  bridge_gaps(context, recording.samples, recording.gap_firsts, recording.gap_lasts);
}

// The file's bytes to samples, chunk by chunk. The next chunk is being read, and copied, while one is parsed.
template <class Context>
void read_samples(Context& context, const InputFile& file, const IngestOptions& options, const BytesReport& on_bytes,
                  Recording<Context>& recording) {
  const CsvHeader& header = recording.header;
  const std::int64_t chunk_bytes = std::min(options.chunk_bytes, std::max<std::int64_t>(file.size(), 1));
  const std::int64_t headroom = chunk_bytes;  // so that every line of up to chunk_bytes fits, wherever it lies
  const std::int64_t slot_bytes = headroom + chunk_bytes;
  const auto staging = context.staging(static_cast<std::size_t>(kSlots * slot_bytes));
  std::vector<std::span<char>> slots;
  for (int i = 0; i < kSlots; ++i)
    slots.push_back(staging.subspan(static_cast<std::size_t>(i * slot_bytes), static_cast<std::size_t>(slot_bytes)));

  Upload<Context> upload(context, slot_bytes);
  SampleCollector<Context> collector(context);
  TextReader reader(file, header.data_offset, std::move(slots), static_cast<std::size_t>(headroom), kReaderThreads);
  auto chunk = reader.next();
  if (chunk) upload.start(chunk->text);
  while (chunk) {
    const auto following = reader.next();
    if (following) upload.start(following->text);
    const auto text = upload.finish();
    const std::int64_t rows = count_rows(context, text), rows_before = collector.size();
    Buffer<std::uint32_t, Context> row_ends(context, rows);
    find_row_ends(context, text, row_ends);
    const auto values = collector.extend(rows, static_cast<double>(chunk->end_byte) / static_cast<double>(file.size()));
    const CsvFindings findings = parse_column(context, text, row_ends.span(), header.layout, values);
    if (findings.first_bad_row != CsvFindings::kNone)
      throw_bad_row(file, header, chunk->text, chunk->first_byte, findings.first_bad_row, rows_before);
    recording.missing += findings.missing;
    if (on_bytes) on_bytes(chunk->end_byte, file.size());
    reader.release();
    chunk = following;
  }
  recording.samples = collector.take();
}

}  // namespace

template <class Context>
Recording<Context> ingest(Context& context, const InputFile& file, const IngestOptions& options,
                          const BytesReport& on_bytes) {
  Recording<Context> recording{.header = read_csv_header(file, {options.column, options.delimiter})};
  recording.bytes = file.size();
  read_samples(context, file, options, on_bytes, recording);
  if (recording.missing == recording.samples.size())
    throw Error(Status::unanalysable, file.path().string() + ": no sample has a value (column '" +
                                          recording.header.columns[recording.header.layout.column] + "')");
  if (recording.missing > 0) find_and_bridge_gaps(context, recording);
  recording.range = value_range(context, recording.samples);
  return recording;
}

template Recording<Cpu> ingest(Cpu&, const InputFile&, const IngestOptions&, const BytesReport&);
#ifdef BEATSCAN_WITH_CUDA
template Recording<Cuda> ingest(Cuda&, const InputFile&, const IngestOptions&, const BytesReport&);
#endif

}  // namespace beatscan
