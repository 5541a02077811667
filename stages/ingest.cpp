#include "stages/ingest.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "kernels/check.h"
#include "kernels/csv.h"
#include "kernels/host_threads.h"
#include "kernels/upload.h"
#include "stages/time_column.h"

namespace beatscan {
namespace {

constexpr int kSlots = 6;          // chunks of text in flight: with 4 the readers wait for each other's wake-ups
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
    if (samples_.size() > size_ + size_ / 8) move_to(size_);
    samples_.truncate(size_);  // the usual 1 % too much is not worth a copy
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

// The rows that were handed to the context, chunk by chunk: where a bad one is found again.
class ChunkList {
 public:
  explicit ChunkList(const InputFile& file) : file_(file) {}
  void add(const TextReader::Chunk& chunk, std::int64_t first_row) {
    chunks_.push_back({first_row, chunk.first_byte, chunk.first_byte + std::ssize(chunk.text)});
  }

  // Names line and byte of a bad row, from the file.
  [[noreturn]] void throw_bad_row(const CsvHeader& header, std::int64_t row) const {
    const auto after = std::ranges::upper_bound(chunks_, row, {}, &Chunk::first_row);
    const Chunk& chunk = *std::prev(after);
    std::vector<char> text(static_cast<std::size_t>(chunk.end_byte - chunk.first_byte));
    text.resize(static_cast<std::size_t>(file_.read(chunk.first_byte, text)));
    const char *first = text.data(), *end = first + text.size();
    for (std::int64_t i = chunk.first_row; i < row && first < end; ++i) first = std::find(first, end, '\n') + 1;
    if (first > end) throw Error(Status::input, file_.path().string() + ": changed while it was read");
    const ParsedRow parsed = parse_row(first, std::find(first, end, '\n'), header.layout);
    if (parsed.fault == RowFault::none)
      throw Error(Status::input, file_.path().string() + ": changed while it was read");
    throw Error(Status::input, file_.path().string() + ":" + std::to_string(header.first_line + row) + ": byte " +
                                   std::to_string(chunk.first_byte + (parsed.first - text.data())) + ": " +
                                   description(parsed, header.layout));
  }

 private:
  struct Chunk {
    std::int64_t first_row, first_byte, end_byte;
  };
  const InputFile& file_;
  std::vector<Chunk> chunks_;
};

// Page-locked memory for chunks on their way, as TextReader takes it.
template <class Context>
std::vector<std::span<char>> text_slots(Context& context, std::int64_t slot_bytes) {
  const auto staging = context.staging(static_cast<std::size_t>(kSlots * slot_bytes));
  std::vector<std::span<char>> slots;
  for (int i = 0; i < kSlots; ++i)
    slots.push_back(staging.subspan(static_cast<std::size_t>(i * slot_bytes), static_cast<std::size_t>(slot_bytes)));
  return slots;
}

// Chunks of text to samples. On Cuda work is queued and not waited for; faults are looked for now and then.
template <class Context>
class ColumnParser {
 public:
  ColumnParser(Context& context, const InputFile& file, const CsvHeader& header)
      : context_(context),
        file_(file),
        header_(header),
        collector_(context),
        chunks_(file),
        findings_(from_host(context, std::vector<CsvFindings>(1))) {}

  // text: the chunk's in the context's memory
  void parse(const TextReader::Chunk& chunk, std::span<const char> text) {
    const std::int64_t first_row = collector_.size();
    chunks_.add(chunk, first_row);
    Buffer<std::uint32_t, Context> row_ends(context_, chunk.rows);
    find_row_ends(context_, text, row_ends);
    const double share = static_cast<double>(chunk.end_byte) / static_cast<double>(file_.size());
    parse_column(context_, text, row_ends, header_.layout, first_row, collector_.extend(chunk.rows, share), findings_);
    if (++parsed_ % kChunksBetweenChecks == 0) findings();
  }

  // So far; throws where a row was bad.
  CsvFindings findings() {
    const CsvFindings found = to_host(context_, findings_)[0];
    if (found.first_bad_row != CsvFindings::kNone) chunks_.throw_bad_row(header_, found.first_bad_row);
    return found;
  }

  Buffer<float, Context> take() { return collector_.take(); }

 private:
  static constexpr std::int64_t kChunksBetweenChecks = 32;  // so that a bad line ends the reading of a long file early
  Context& context_;
  const InputFile& file_;
  const CsvHeader& header_;
  SampleCollector<Context> collector_;
  ChunkList chunks_;
  Buffer<CsvFindings, Context> findings_;
  std::int64_t parsed_ = 0;
};

// Samples that the times say are missing are put in. Rare, so by way of the host.
template <class Context>
void insert_missing(Context& context, const std::vector<MissingRows>& missing, Recording<Context>& recording) {
  if (missing.empty()) return;
  const auto rows = to_host(context, recording.samples);
  std::vector<float> samples;
  std::int64_t done = 0;
  for (const auto& gap : missing) {
    samples.insert(samples.end(), rows.begin() + done, rows.begin() + gap.before_row);
    samples.insert(samples.end(), static_cast<std::size_t>(gap.samples), std::numeric_limits<float>::quiet_NaN());
    recording.missing += gap.samples;
    done = gap.before_row;
  }
  samples.insert(samples.end(), rows.begin() + done, rows.end());
  recording.samples = from_host(context, samples);
}

// The file's bytes to samples, chunk by chunk. The next chunk is being read, and copied, while one is parsed.
template <class Context>
void read_samples(Context& context, const InputFile& file, const CsvHeader& header, const IngestOptions& options,
                  const BytesReport& on_bytes, Recording<Context>& recording) {
  const std::int64_t chunk_bytes = std::min(options.chunk_bytes, std::max<std::int64_t>(file.size(), 1));
  const std::int64_t headroom = chunk_bytes / 2 + 1;  // every line of up to that fits, wherever it lies
  TextReader reader(file, header.data_offset, text_slots(context, headroom + chunk_bytes),
                    static_cast<std::size_t>(headroom), std::min(kReaderThreads, host_threads()));
  Upload<Context> upload(context, headroom + chunk_bytes);
  ColumnParser<Context> parser(context, file, header);
  std::optional<TimeColumn> times;
  if (header.time_column >= 0) times.emplace(file, header, !options.time_column.empty());
  std::exception_ptr reading_error;  // put off: a bad row further up is what has to be named
  const auto next_chunk = [&]() -> std::optional<TextReader::Chunk> {
    try {
      return reader.next();
    } catch (const Error&) {
      reading_error = std::current_exception();
      return std::nullopt;
    }
  };
  auto chunk = next_chunk();
  if (chunk) upload.start(chunk->text);
  while (chunk) {
    const auto following = next_chunk();
    if (following) upload.start(following->text);
    parser.parse(*chunk, upload.finish());
    if (times) times->add(*chunk);
    if (on_bytes) on_bytes(chunk->end_byte, file.size());
    reader.release();
    chunk = following;
  }
  recording.missing = parser.findings().missing;
  if (reading_error) std::rethrow_exception(reading_error);
  recording.samples = parser.take();
  if (times) insert_missing(context, times->finish(recording.signal, options.sample_rate_hz), recording);
}

}  // namespace

SignalInfo csv_signal(const CsvHeader& header) {
  return {.names = header.columns,
          .name = header.columns[header.layout.column],
          .csv = CsvStyle{header.layout.delimiter, header.has_header}};
}

template <class Context>
Recording<Context> ingest(Context& context, const InputFile& file, const IngestOptions& options,
                          const BytesReport& on_bytes) {
  const CsvHeader header = read_csv_header(file, csv_options(options));
  Recording<Context> recording;
  recording.bytes = file.size();
  recording.signal = csv_signal(header);
  read_samples(context, file, header, options, on_bytes, recording);
  bridge_and_measure(context, recording, file.path().string());
  return recording;
}

template Recording<Cpu> ingest(Cpu&, const InputFile&, const IngestOptions&, const BytesReport&);
#ifdef BEATSCAN_WITH_CUDA
template Recording<Cuda> ingest(Cuda&, const InputFile&, const IngestOptions&, const BytesReport&);
#endif

}  // namespace beatscan
