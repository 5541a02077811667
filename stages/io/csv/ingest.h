// stages/io/csv/ingest.h — reads columns of a CSV file into the context's memory, and bridges their gaps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stages/io/csv/csv_header.h"
#include "stages/io/csv/ingest_options.h"
#include "stages/io/recording/leads.h"
#include "stages/io/recording/recording.h"

namespace beatscan {

class InputFile;

inline CsvOptions csv_options(const IngestOptions& options) {
  return {options.column,           options.delimiter, options.time_column, options.leads,
          options.first_lead_alone, options.decimal,   options.skip_lines};
}
inline LeadChoice lead_choice(const IngestOptions& options) {
  return {options.column, options.leads, options.first_lead_alone};
}

// Reads the columns that the options choose. Lines are found once for all of them.
//   values    float32, correctly rounded from the text
//   missing   an empty cell, NaN, NA and null are part of a gap
//   bad cell  counts as missing, only in its column, with OnBad::nan: a sample or a time
//   bad rows  are counted, and named in a warning, if options.on_bad is not OnBad::error
// Throws ErrorKind::input naming the line of the first bad row if options.on_bad is OnBad::error. Throws
// ErrorKind::unanalysable if no sample has a value. The file is read, and on Cuda copied, while earlier text is parsed.
// Memory is taken for a few chunks of text, not for the whole file.
template <class Context>
Recording<Context> ingest(Context&, const InputFile& file, const IngestOptions& options,
                          const BytesReport& on_bytes = {});

}  // namespace beatscan
