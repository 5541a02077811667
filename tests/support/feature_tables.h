// tests/support/feature_tables.h — beat tables that a test has made on the host, in the memory of a context.
#pragma once

#include <cstdint>
#include <iterator>
#include <utility>

#include "kernels/runtime/buffer.h"
#include "stages/classify/beat_table.h"

namespace beatscan {

template <class Context>
FeatureTable<Context> loaded_table(Context& context, const BeatFeatures& features) {
  ColumnTexts texts;
  for (const FeatureColumn& column : features.columns) texts.push_back({column.name, column.unit, column.text});
  FeatureTable<Context> table(context, features.beats(), std::move(texts));
  for (std::int64_t c = 0; c < std::ssize(features.columns); ++c)
    copy<float>(context, features.columns[c].values, table.columns(c, 1));
  return table;
}

}  // namespace beatscan
