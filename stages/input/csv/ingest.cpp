#include "stages/input/csv/ingest.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "kernels/csv/csv.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/host_threads.h"
#include "kernels/runtime/upload.h"
#include "stages/input/csv/bad_rows.h"
#include "stages/input/csv/time_column.h"

namespace beatscan {
namespace {

constexpr int kSlots = 6;          // chunks of text in flight; with 4 the readers wait for each other to wake up
constexpr int kReaderThreads = 8;  // one thread alone does not reach the page cache's bandwidth

// Collects samples whose number is known only at the end. The bytes that are still to come tell how much room to make.
template <class Context>
class SampleCollector {
 public:
  explicit SampleCollector(Context& context) : context_(context) {}

  // Returns room for `rows` more samples. `share` is the part of the file's bytes that ends with them.
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
    samples_.truncate(size_);  // the usual excess of 1 % is not worth a copy
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

// Divides page-locked memory into the slots that TextReader reads into.
template <class Context>
std::vector<std::span<char>> text_slots(Context& context, std::int64_t slot_bytes) {
  const auto staging = context.staging(static_cast<std::size_t>(kSlots * slot_bytes));
  std::vector<std::span<char>> slots;
  for (int i = 0; i < kSlots; ++i)
    slots.push_back(staging.subspan(static_cast<std::size_t>(i * slot_bytes), static_cast<std::size_t>(slot_bytes)));
  return slots;
}

// Parses chunks of text into samples. On Cuda the work is queued and not waited for; bad rows are looked for now and
// then.
template <class Context>
class ColumnParser {
 public:
  ColumnParser(Context& context, const InputFile& file, const CsvHeader& header, OnBad on_bad)
      : context_(context),
        file_(file),
        header_(header),
        on_bad_(on_bad),
        collector_(context),
        rows_(file, header),
        findings_(from_host(context, std::vector<CsvFindings>(1))) {}

  // Parses a chunk, whose text is in the context's memory.
  void parse(const TextReader::Chunk& chunk, std::span<const char> text) {
    const std::int64_t first_row = collector_.size();
    rows_.add(chunk, first_row);
    Buffer<std::uint32_t, Context> row_ends(context_, chunk.rows);
    find_row_ends(context_, text, row_ends);
    const double share = static_cast<double>(chunk.end_byte) / static_cast<double>(file_.size());
    parse_column(context_, text, row_ends, header_.layout, first_row, collector_.extend(chunk.rows, share), findings_);
    if (++parsed_ % kChunksBetweenChecks == 0) findings();
  }

  // Returns the counts of missing and bad rows so far. Throws if there is a bad row and OnBad::error.
  CsvFindings findings() {
    const CsvFindings found = to_host(context_, findings_)[0];
    if (found.bad > 0 && on_bad_ == OnBad::error) rows_.throw_bad_row(found.first_bad_row);
    return found;
  }

  const RowFinder& rows() const { return rows_; }

  Buffer<float, Context> take() { return collector_.take(); }

 private:
  static constexpr std::int64_t kChunksBetweenChecks = 32;  // so that a bad line ends the reading of a long file early
  Context& context_;
  const InputFile& file_;
  const CsvHeader& header_;
  const OnBad on_bad_;
  SampleCollector<Context> collector_;
  RowFinder rows_;
  Buffer<CsvFindings, Context> findings_;
  std::int64_t parsed_ = 0;
};

// Counts and describes the bad rows, and leaves them out or marks them as missing. Before, there is a sample for each
// row. Bad rows are rare, so this is done on the host.
template <class Context>
void pass_over_bad_rows(Context& context, const RowFinder& rows, OnBad on_bad, std::optional<TimeColumn>& times,
                        Recording<Context>& recording) {
  auto values = to_host(context, recording.leads.front().samples);
  recording.bad = rows.find_all(values);
  if (times) times->pass_over_bad_rows(values);
  if (on_bad == OnBad::skip) {
    std::erase_if(values, [](float value) { return fault_of(value) != RowFault::none; });
    recording.leads.front().samples = from_host(context, values);
  } else {
    recording.leads.front().missing += recording.bad.count;
  }
  const char* const what = on_bad != OnBad::skip ? "; their samples are missing"
                           : times               ? "; left out: a gap takes their place where the times tell"
                                                 : "; left out: samples count the rows that are kept";
  recording.signal.warnings.push_back(describe(recording.bad) + what);
}

// Inserts the samples that are missing by the times. This is rare, so it is done on the host.
template <class Context>
void insert_missing(Context& context, const std::vector<MissingRows>& missing, Recording<Context>& recording) {
  if (missing.empty()) return;
  const auto rows = to_host(context, recording.leads.front().samples);
  std::vector<float> samples;
  std::int64_t done = 0;
  for (const auto& gap : missing) {
    samples.insert(samples.end(), rows.begin() + done, rows.begin() + gap.before_row);
    samples.insert(samples.end(), static_cast<std::size_t>(gap.samples), std::numeric_limits<float>::quiet_NaN());
    recording.leads.front().missing += gap.samples;
    done = gap.before_row;
  }
  samples.insert(samples.end(), rows.begin() + done, rows.end());
  recording.leads.front().samples = from_host(context, samples);
}

// Reads chunks, and puts off an error of reading until rethrow(): a bad row before it is named instead.
class ChunkReader {
 public:
  explicit ChunkReader(TextReader& reader) : reader_(reader) {}

  // Returns the next chunk; nothing at the end and after an error.
  std::optional<TextReader::Chunk> next() {
    try {
      return reader_.next();
    } catch (const Error&) {
      error_ = std::current_exception();
      return std::nullopt;
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  TextReader& reader_;
  std::exception_ptr error_;
};

// Reads the file chunk by chunk into the recording. While one chunk is parsed, the next is read and copied.
template <class Context>
void read_samples(Context& context, const InputFile& file, const CsvHeader& header, const IngestOptions& options,
                  const BytesReport& on_bytes, Recording<Context>& recording) {
  const std::int64_t chunk_bytes = std::min(options.chunk_bytes, std::max<std::int64_t>(file.size(), 1));
  const std::int64_t headroom = chunk_bytes / 2 + 1;  // a line of up to this length fits, wherever it lies
  TextReader reader(file, header.data_offset, text_slots(context, headroom + chunk_bytes),
                    static_cast<std::size_t>(headroom), std::min(kReaderThreads, host_threads()));
  Upload<Context> upload(context, headroom + chunk_bytes);
  ColumnParser<Context> parser(context, file, header, options.on_bad);
  std::optional<TimeColumn> times;
  if (header.time_column >= 0) times.emplace(file, header, !options.time_column.empty(), options.on_bad);
  ChunkReader chunks(reader);
  auto chunk = chunks.next();
  if (chunk) upload.start(chunk->text);
  while (chunk) {
    const auto following = chunks.next();
    if (following) upload.start(following->text);
    parser.parse(*chunk, upload.finish());
    if (times) times->add(*chunk);
    if (on_bytes) on_bytes(chunk->end_byte, file.size());
    reader.release();
    chunk = following;
  }
  const CsvFindings found = parser.findings();
  chunks.rethrow();
  recording.leads.front().missing = found.missing;
  recording.leads.front().samples = parser.take();
  if (found.bad > 0) pass_over_bad_rows(context, parser.rows(), options.on_bad, times, recording);
  if (times) insert_missing(context, times->finish(recording.signal, options.sample_rate_hz), recording);
}

bool ends_with_line_end(const InputFile& file) {
  char last = '\n';
  file.read(file.size() - 1, {&last, 1});
  return last == '\n';
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
  const SignalInfo signal = csv_signal(header);
  auto recording = with_one_lead<Context>({.name = signal.name, .unit = signal.unit});
  recording.bytes = file.size();
  recording.signal = signal;
  read_samples(context, file, header, options, on_bytes, recording);
  if (file.was_pipe() && !ends_with_line_end(file))
    recording.signal.warnings.push_back("the pipe ended within a line: is the last value whole?");
  bridge_and_measure(context, recording, file.path().string());
  return recording;
}

#define BEATSCAN_INGEST(Context) \
  template Recording<Context> ingest(Context&, const InputFile&, const IngestOptions&, const BytesReport&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_INGEST)

}  // namespace beatscan
