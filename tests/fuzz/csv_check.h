// tests/fuzz/csv_check.h — compares the CSV reader, on either back end, with a plainly written reader.
//
// The plain reader takes the whole text, line by line and cell by cell, with the C library's strtof. It takes one thing
// from the program: what the header says of the file (stages/io/csv/csv_header.h). It checks that the first line has
// these columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "stages/io/csv/ingest.h"
#include "stages/io/recording/input_file.h"
#include "tests/fuzz/reference_csv.h"
#include "tests/fuzz/support.h"

namespace beatscan::fuzz {

// Returns the size of the smallest chunks into which every line of the text fits, wherever it lies.
inline std::int64_t smallest_chunk(std::string_view text) {
  std::size_t longest = 0, begin = 0;
  while (begin <= text.size()) {
    const auto end = std::min(text.find('\n', begin), text.size());
    longest = std::max(longest, end - begin);
    begin = end + 1;
  }
  return 2 * static_cast<std::int64_t>(longest) + 2;
}

// Requires the same values, bit for bit, and the same missing ones; or the same first error with its line, byte and
// kind.
template <class Context>
void check_csv(Context& context, const InputFile& file, const IngestOptions& options, const ReferenceCsv& expected) {
  const std::string refusal = refusal_of([&] {
    const auto recording = ingest(context, file, options);
    require(expected.error.empty(), "read, where the reference has: " + expected.error);
    require(recording.leads.front().missing == expected.missing, "another number of missing values");
    expect_values(to_host(context, recording.leads.front().samples), expected);
    expect_gaps(to_host(context, recording.leads.front().gap_firsts),
                to_host(context, recording.leads.front().gap_lasts), expected);
  });
  require(refusal.find(expected.error) != refusal.npos, "refused by '" + refusal + "', not '" + expected.error + "'");
  require(refusal.empty() == expected.error.empty(), "refused: " + refusal);
}

// Requires that all leads, read together, are what they are alone.
template <class Context>
void check_leads_together(Context& context, const InputFile& file, std::string_view text,
                          const IngestOptions& options) {
  CsvHeader header;
  if (!refusal_of([&] { header = read_csv_header(file, csv_options(options)); }).empty()) return;
  std::vector<ReferenceCsv> expected;
  bool bad = false;
  for (const int column : header.leads) {
    header.layout.column = column;
    const ReferenceCsv lead = reference_csv(text, header);
    const bool has_values = lead.error.find("no sample has a value") == lead.error.npos;
    bad |= has_values && !lead.error.empty();
    const auto known = [](float value) { return !std::isnan(value); };
    const auto first = std::ranges::find_if(lead.values, known);
    if (std::ranges::any_of(lead.values, [&](float value) { return known(value) && value != *first; }))
      expected.push_back(lead);
  }
  Recording<Context> recording;
  const std::string refusal = refusal_of([&] { recording = ingest(context, file, options); });
  if (bad) return require(!refusal.empty(), "read, where a lead alone is refused");
  if (expected.empty()) return;
  require(refusal.empty() && recording.leads.size() == expected.size(), "other leads are read: " + refusal);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& lead = recording.leads[i];
    require(lead.missing == expected[i].missing, "another number of missing values");
    expect_values(to_host(context, lead.samples), expected[i]);
    expect_gaps(to_host(context, lead.gap_firsts), to_host(context, lead.gap_lasts), expected[i]);
  }
}

// Checks a text with several options and sizes of chunks.
template <class Context>
void check_csv(Context& context, std::string_view text) {
  const auto path = write("x.csv", text);
  const InputFile file(path);
  const std::int64_t small = smallest_chunk(text);
  for (const IngestOptions& options :
       {IngestOptions{.first_lead_alone = true, .time_column = "-", .chunk_bytes = 4 << 20},
        {.first_lead_alone = true, .time_column = "-", .chunk_bytes = small},
        {.column = "1", .time_column = "-", .chunk_bytes = small + std::ssize(text) / 3},
        {.column = "0", .time_column = "-", .delimiter = " ", .chunk_bytes = small + 7}}) {
    CsvHeader header;
    const std::string refusal = refusal_of([&] { header = read_csv_header(file, csv_options(options)); });
    if (refusal.empty())
      check_csv(context, file, options, reference_csv(text, header));
    else
      check_csv(context, file, options, {.error = refusal});
  }
  check_leads_together(context, file, text, {.time_column = "-", .chunk_bytes = small + 7});
}

}  // namespace beatscan::fuzz
