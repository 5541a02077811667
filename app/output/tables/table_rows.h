// app/output/tables/table_rows.h — some of the rows of a table.
#pragma once

#include <cstdint>
#include <span>

#include "app/output/tables/table.h"

namespace beatscan {

// Returns the table with these rows alone, in this order.
Table with_rows(const Table& table, std::span<const std::int64_t> rows);

}  // namespace beatscan
