#include "kernels/csv/columns.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {
namespace {

// The places that the columns' values go to.
struct ColumnValues {
  float* of[kMostColumns];
};

// Stores the values of a row's cells. Bit i of `bad` is set if the cell of column i is bad.
struct CellStore {
  const ColumnValues& values;
  std::int64_t row;
  std::uint64_t bad = 0;
  BEATSCAN_HOST_DEVICE void operator()(int i, float value, CellKind kind) {
    const RowFault fault = fault_of(kind);
    values.of[i][row] = fault == RowFault::none ? value : bad_value(fault);
    if (fault != RowFault::none) bad |= std::uint64_t{1} << i;
  }
};

__device__ void count_column(float value, const RowFault fault, std::int64_t row, CsvFindings* findings) {
  // Missing and bad values are rare, so a warp makes an atomic operation only if it has any. Lanes after the last row
  // bring a value and no fault.
  const unsigned bad = __ballot_sync(~0u, fault != RowFault::none);
  const unsigned missing = __ballot_sync(~0u, fault == RowFault::none && isnan(value));
  if ((threadIdx.x & 31) != 0) return;
  auto* counters = reinterpret_cast<unsigned long long*>(findings);
  if (bad) {
    atomicMin(counters, static_cast<unsigned long long>(row + __ffs(bad) - 1));
    atomicAdd(counters + 2, static_cast<unsigned long long>(__popc(bad)));
  }
  if (missing) atomicAdd(counters + 1, static_cast<unsigned long long>(__popc(missing)));
}

// One thread parses one row. A value is NaN if it is missing, and bad_value() where its cell is bad. A fault of the
// row as a whole overrides both.
__global__ void parse_columns_kernel(const char* __restrict__ text, const std::uint32_t* __restrict__ row_ends,
                                     std::int64_t rows, const CsvColumns columns, std::int64_t first_row,
                                     const ColumnValues values, CsvFindings* __restrict__ findings) {
  const std::int64_t row = global_thread();
  RowFault of_row = RowFault::none;
  CellStore store{values, row};
  if (row < rows) {
    const char *begin = text + (row == 0 ? 0 : row_ends[row - 1] + 1), *end = text + row_ends[row];
    of_row = parse_columns_of_row(begin, end, end, columns, store);
  }
  for (int i = 0; i < columns.count; ++i) {
    RowFault fault = of_row;
    if (fault != RowFault::none)
      values.of[i][row] = bad_value(fault);
    else if (store.bad >> i & 1)
      fault = RowFault::not_a_number;  // the value says which fault it is
    count_column(row < rows ? values.of[i][row] : 0, fault, first_row + row, findings + i);
  }
}

}  // namespace

void parse_columns(Cuda& cuda, std::span<const char> text, std::span<const std::uint32_t> row_ends,
                   const CsvColumns& columns, std::int64_t first_row, std::span<const std::span<float>> values,
                   std::span<CsvFindings> findings) {
  static_assert(sizeof(CsvFindings) == 24, "the kernel counts in three 64-bit words");
  static_assert(kMostColumns <= 64, "the kernel has a bit for each column");
  check_columns(columns, row_ends.size(), values, findings);
  if (row_ends.empty()) return;
  ColumnValues targets{};
  for (std::size_t i = 0; i < values.size(); ++i) targets.of[i] = values[i].data();
  const auto rows = static_cast<std::int64_t>(row_ends.size());
  launch(cuda, {blocks_for(rows)}, parse_columns_kernel, text.data(), row_ends.data(), rows, columns, first_row,
         targets, findings.data());
}

}  // namespace beatscan
