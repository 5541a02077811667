// stages/io/csv/foreign_formats.h — refuses files of formats that are not read, and says what they are and what to do.
#pragma once

#include <string>
#include <string_view>

namespace beatscan {

// Throws ErrorKind::input if the start of a file is that of another format: archives, workbooks, documents, markup,
// recordings of other makers, and what a download or a version control system leaves in place of a file. Throws it
// also for UTF-16, and for bytes that are no text.
//   head  the first 4,096 bytes, or all
void refuse_foreign_format(const std::string& path, std::string_view head);

}  // namespace beatscan
