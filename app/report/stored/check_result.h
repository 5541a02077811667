// app/report/stored/check_result.h — checks that a result that was read can be drawn, so that the sections need no
// checks. A file that does not fit throws ErrorKind::input, and the message names it.
#pragma once

namespace beatscan {

struct StoredResult;

// Checks that the summary and the configuration have the parts that a page needs, and that these are of their types.
void check_keys(const StoredResult& result);

// Checks that the lists are there whose contents the summary counts. A result of an older version has fewer of both.
void check_lists_of(const StoredResult& result);

// Checks the numbers that figures are laid out by.
void check_facts(const StoredResult& result);

// Checks that the arrays fit each other.
void check_arrays(const StoredResult& result);

// Checks that the table has the beats that the summary counts, in order and within the recording.
void check_beats(const StoredResult& result);

}  // namespace beatscan
