// app/output/tables/arrow/arrow_status.h — converts Arrow's errors to exceptions.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <new>
#include <stdexcept>
#include <utility>

namespace beatscan {

// Throws std::bad_alloc or std::runtime_error on failure.
inline void check_arrow(const arrow::Status& status) {
  if (status.IsOutOfMemory()) throw std::bad_alloc();
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

template <class Value>
Value taken(arrow::Result<Value> result) {
  check_arrow(result.status());
  return std::move(result).ValueUnsafe();
}

}  // namespace beatscan
