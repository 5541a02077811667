#include "stages/io/csv/ingest.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/csv/columns.h"
#include "kernels/machine/host_threads.h"
#include "kernels/machine/thread_policy.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/upload.h"
#include "stages/common/counted.h"
#include "stages/common/nearest_name.h"
#include "stages/io/csv/bad_rows.h"
#include "stages/io/csv/csv_signal.h"
#include "stages/io/csv/own_rows.h"
#include "stages/io/csv/sample_collector.h"
#include "stages/io/csv/time_column.h"

namespace beatscan {
namespace {

constexpr int kSlots = 6;          // chunks of text in flight; with 4 the readers wait for each other to wake up
constexpr int kReaderThreads = 8;  // one thread alone does not reach the page cache's bandwidth

int reader_threads() { return may_start_threads() ? std::min(kReaderThreads, host_threads()) : 0; }

// Divides page-locked memory into the slots that TextReader reads into.
template <class Context>
std::vector<std::span<char>> text_slots(Context& context, std::int64_t slot_bytes) {
  const auto staging = context.staging(static_cast<std::size_t>(kSlots * slot_bytes));
  std::vector<std::span<char>> slots;
  for (int i = 0; i < kSlots; ++i)
    slots.push_back(staging.subspan(static_cast<std::size_t>(i * slot_bytes), static_cast<std::size_t>(slot_bytes)));
  return slots;
}

static_assert(kMostLeads <= kMostColumns, "the kernel must take all leads that can be asked for");

CsvColumns columns_of(const CsvHeader& header) {
  CsvColumns columns{.delimiter = header.layout.delimiter, .columns = header.layout.columns};
  for (const int position : header.leads) columns.position[columns.count++] = position;
  return columns;
}

// Returns what edits the text of rows; nothing where they are parsed unchanged.
std::function<void(std::span<char>)> edit_of(const CsvHeader& header) {
  if (!header.edits.any()) return {};
  return header.edits;
}

// Parses chunks of text into the samples of each lead. On Cuda the work is queued and not waited for; it checks for bad
// rows now and then.
template <class Context>
class ColumnParser {
 public:
  ColumnParser(Context& context, const InputFile& file, const CsvHeader& header, OnBad on_bad)
      : context_(context),
        file_(file),
        header_(header),
        columns_(columns_of(header)),
        on_bad_(on_bad),
        rows_(file, header),
        findings_(from_host(context, std::vector<CsvFindings>(header.leads.size()))) {
    for (std::size_t lead = 0; lead < header.leads.size(); ++lead) collectors_.emplace_back(context);
  }

  // Parses a chunk, whose text is in the context's memory.
  void parse(const TextReader::Chunk& chunk, std::span<const char> text) {
    const std::int64_t first_row = collectors_.front().size();
    rows_.add(chunk, first_row);
    Buffer<std::uint32_t, Context> row_ends(context_, chunk.rows);
    find_row_ends(context_, text, row_ends);
    const double share = static_cast<double>(chunk.end_byte) / static_cast<double>(file_.size());
    std::vector<std::span<float>> values;
    for (auto& collector : collectors_) values.push_back(collector.extend(chunk.rows, share));
    if (values.size() == 1)
      parse_column(context_, text, row_ends, header_.layout, first_row, values.front(), findings_);
    else
      parse_columns(context_, text, row_ends, columns_, first_row, values, findings_);
    if (++parsed_ % kChunksBetweenChecks == 0) findings();
  }

  // Returns the counts of missing and bad rows of each lead so far. Throws if there is a bad row and OnBad::error.
  std::vector<CsvFindings> findings() {
    std::vector<CsvFindings> found = to_host(context_, findings_);
    std::int64_t first_bad_row = CsvFindings::kNone;
    for (const auto& of_lead : found) first_bad_row = std::min(first_bad_row, of_lead.first_bad_row);
    if (first_bad_row != CsvFindings::kNone && on_bad_ == OnBad::error) rows_.throw_bad_row(first_bad_row);
    return found;
  }

  const RowFinder& rows() const { return rows_; }

  Buffer<float, Context> take(std::size_t lead) { return collectors_[lead].take(); }

 private:
  static constexpr std::int64_t kChunksBetweenChecks = 32;  // so that a bad line ends the reading of a long file early
  Context& context_;
  const InputFile& file_;
  const CsvHeader& header_;
  const CsvColumns columns_;
  const OnBad on_bad_;
  std::vector<SampleCollector<Context>> collectors_;
  RowFinder rows_;
  Buffer<CsvFindings, Context> findings_;
  std::int64_t parsed_ = 0;
};

// Returns the fault of each row: that of the row, or that of the first lead whose cell is bad.
template <class Context>
std::vector<RowFault> faults_of_rows(Context& context, const std::vector<RecordedLead<Context>>& leads) {
  std::vector<RowFault> faults(static_cast<std::size_t>(leads.front().samples.size()));
  for (const auto& lead : leads) {
    const auto values = to_host(context, lead.samples);
    for (std::size_t row = 0; row < faults.size(); ++row)
      if (const RowFault fault = fault_of(values[row]); is_row_fault(fault) || faults[row] == RowFault::none)
        faults[row] = fault;
  }
  return faults;
}

// Leaves out a lead's samples of rows that are bad in any lead.
template <class Context>
void leave_out_rows(Context& context, const std::vector<RowFault>& faults, RecordedLead<Context>& lead) {
  const auto rows = to_host(context, lead.samples);
  std::vector<float> kept;
  lead.missing = 0;
  for (std::size_t row = 0; row < faults.size(); ++row) {
    if (faults[row] != RowFault::none) continue;
    kept.push_back(rows[row]);
    lead.missing += std::isnan(rows[row]);
  }
  lead.samples = from_host(context, kept);
}

// Returns the end of the warning on bad rows: what happened to them.
const char* what_became(OnBad on_bad, const std::optional<TimeColumn>& times) {
  if (on_bad != OnBad::skip)
    return times && !times->bad_rows().empty() ? "; their bad samples and times count as missing"
                                               : "; their samples are missing";
  return times ? "; left out: the times show the gaps" : "; left out: samples are counted without them";
}

// Counts and describes the bad rows, and leaves them out or marks their bad values as missing. Before, there is a
// sample for each row. Bad rows are rare, so this is done on the host, lead by lead.
template <class Context>
void pass_over_bad_rows(Context& context, const RowFinder& rows, const std::vector<CsvFindings>& found, OnBad on_bad,
                        std::optional<TimeColumn>& times, Recording<Context>& recording) {
  auto faults = faults_of_rows(context, recording.leads);
  if (times) {
    for (const std::int64_t row : times->bad_rows()) faults[row] = RowFault::not_a_time;
    times->pass_over_bad_rows(faults);
  }
  recording.bad = rows.find_all(faults);
  for (std::size_t i = 0; i < recording.leads.size(); ++i)
    if (on_bad == OnBad::skip)
      leave_out_rows(context, faults, recording.leads[i]);
    else
      recording.leads[i].missing += found[i].bad;
  recording.signal.warnings.push_back(describe(recording.bad) + what_became(on_bad, times));
}

// Keeps the rows in which the first lead has a value, if they are those of a rate of its own. Leads of another rate are
// left out. In a file of one column the rows between are blank lines, and a rate that is specified is that of the
// values. This is rare, so it is done on the host.
template <class Context>
void keep_own_rows(Context& context, const CsvHeader& header, std::optional<TimeColumn>& times,
                   Recording<Context>& recording) {
  constexpr std::int64_t kWorthALook = 10;  // one row in so many is without a value
  auto& leads = recording.leads;
  auto& signal = recording.signal;
  const std::int64_t rows = leads[0].samples.size();
  if (kWorthALook * leads[0].missing < rows) return;
  const OwnRows own = own_rows(to_host(context, leads[0].samples));
  const auto kept = std::ssize(own.rows);
  if (kept == 0 || (own.stride == 0 && !(times && times->have_own_clock(own.rows)))) return;
  const std::string name = listed_names({leads[0].name});
  const bool is_alone = header.columns.size() == 1;
  signal.warnings.push_back("column " + name + " has a value in " + std::to_string(kept) + " of " +
                            counted(rows, "row") +
                            (is_alone ? ": the lines between are blank and left out"
                                      : ": its rate is lower than that of the rows, and these rows alone are read") +
                            (times ? "" : "; a rate that is given is that of the column"));
  if (times) times->keep(own.rows);
  if (!times && !is_alone && signal.sample_rate_hz && own.stride > 0)
    *signal.sample_rate_hz /= static_cast<double>(own.stride);
  std::vector<RecordedLead<Context>> of_one_rate;
  for (auto& lead : leads) {
    const auto values = to_host(context, lead.samples);
    std::vector<float> samples;
    for (const std::int64_t row : own.rows) samples.push_back(values[static_cast<std::size_t>(row)]);
    const auto missing = std::ranges::count_if(samples, [](float x) { return std::isnan(x); });
    if (const bool has_others = 2 * (lead.samples.size() - lead.missing) > 3 * kept; has_others || 2 * missing > kept) {
      signal.warnings.push_back("column " + listed_names({lead.name}) + " has another rate than " + name +
                                "; it is left out");
      ++recording.left_out;
      continue;
    }
    lead.samples = from_host(context, samples);
    lead.missing = missing;
    of_one_rate.push_back(std::move(lead));
  }
  leads = std::move(of_one_rate);
  std::vector<Lead> names;
  for (const auto& lead : leads) names.push_back({lead.name, lead.unit});
  set_leads(signal, std::move(names));
}

// Inserts the samples that are missing by the times. This is rare, so it is done on the host.
template <class Context>
void insert_missing(Context& context, const std::vector<MissingRows>& missing, RecordedLead<Context>& lead) {
  if (missing.empty()) return;
  const auto rows = to_host(context, lead.samples);
  std::vector<float> samples;
  std::int64_t done = 0;
  for (const auto& gap : missing) {
    samples.insert(samples.end(), rows.begin() + done, rows.begin() + gap.before_row);
    samples.insert(samples.end(), static_cast<std::size_t>(gap.samples), std::numeric_limits<float>::quiet_NaN());
    lead.missing += gap.samples;
    done = gap.before_row;
  }
  samples.insert(samples.end(), rows.begin() + done, rows.end());
  lead.samples = from_host(context, samples);
}

// Reads chunks, and defers an error of reading until rethrow(): a bad row before it is reported instead.
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
                    static_cast<std::size_t>(headroom), reader_threads(), edit_of(header));
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
  const std::vector<CsvFindings> found = parser.findings();
  chunks.rethrow();
  bool any_bad = times && !times->bad_rows().empty();
  for (std::size_t i = 0; i < found.size(); ++i) {
    recording.leads[i].missing = found[i].missing;
    recording.leads[i].samples = parser.take(i);
    any_bad |= found[i].bad > 0;
  }
  if (any_bad) pass_over_bad_rows(context, parser.rows(), found, options.on_bad, times, recording);
  keep_own_rows(context, header, times, recording);
  if (!times) return;
  const auto missing = times->finish(recording.signal, options.sample_rate_hz);
  warn_of_two_rates(header.metadata, recording.signal);
  for (auto& lead : recording.leads) insert_missing(context, missing, lead);
}

bool ends_with_line_end(const InputFile& file) {
  char last = '\n';
  file.read(file.size() - 1, {&last, 1});
  return last == '\n';
}

}  // namespace

template <class Context>
Recording<Context> ingest(Context& context, const InputFile& file, const IngestOptions& options,
                          const BytesReport& on_bytes) {
  const CsvHeader header = read_csv_header(file, csv_options(options));
  auto recording = without_samples<Context>(csv_signal(header), file.size());
  recording.signal.missing_code = options.missing;
  read_samples(context, file, header, options, on_bytes, recording);
  if (file.was_pipe() && !ends_with_line_end(file))
    recording.signal.warnings.push_back("the pipe ended within a line: is the last value whole?");
  else
    warn_of_a_cut(file, header, recording.signal);
  bridge_and_measure(context, recording, file.path().string());
  for (const auto& lead : recording.leads) warn_of_missing_mark(lead.name, lead.range.min, recording.signal);
  return recording;
}

#define BEATSCAN_INGEST(Context) \
  template Recording<Context> ingest(Context&, const InputFile&, const IngestOptions&, const BytesReport&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_INGEST)

}  // namespace beatscan
