// app/report/cohort_files.h — writes the lists of a batch into its folder.
#pragma once

#include <filesystem>
#include <vector>

#include "app/output/tables/table.h"
#include "app/report/cohort_row.h"

namespace beatscan {

inline constexpr const char* kCohortPage = "index.html";
inline constexpr const char* kCohortTable = "cohort.csv";
inline constexpr const char* kCohortParquet = "cohort.parquet";
inline constexpr const char* kFailureTable = "failures.csv";

// Throws ErrorKind::output where the files of a batch are there and may not be replaced, and where a batch and the
// result of one recording would share a folder.
void check_cohort_files(const std::filesystem::path& folder, bool batch, bool force);

// Returns whether a file is one of these lists, by its name and beginning; cohort.parquet is one beside a cohort.csv.
bool is_list_of_batch(const std::filesystem::path& file);

// Throws ErrorKind::output where a file that is no list of a batch would be replaced by one.
void check_lists(const std::filesystem::path& folder);

// Writes failures.csv alone, of a batch of which all recordings failed, and removes lists of an earlier batch, which
// describe other results.
void write_failures(const std::filesystem::path& folder, std::vector<CohortRow> rows);

// Writes the lists, with the rows in the order of their names. So the files do not depend on the order of a list, nor
// on which process made a result. There is a cohort.parquet where the form has Parquet; otherwise that of an earlier
// batch is removed.
void write_cohort(const std::filesystem::path& folder, std::vector<CohortRow> rows, TableForm form = TableForm::csv);

}  // namespace beatscan
