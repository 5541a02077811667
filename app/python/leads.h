// app/python/leads.h — the leads of a recording as rows of a tensor.
//
// x is a tensor [N] of one lead, or [L][N] of leads by row. The recording contains the rows that can be read. Results
// by lead cover all rows of x: they have a dimension L if x has one.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/detect/quality_class.h"
#include "stages/io/recording/recording.h"
#include "stages/quality/signal_quality.h"

namespace beatscan::operators {

// Makes a recording of the signal x [N], or of leads by row [L, N], in the tensor's memory. A lead is copied only if
// samples are missing (NaN), since these are bridged. If there are several leads, those without a value and flat ones
// are skipped; a lead's name is the number of its row. Throws ErrorKind::usage for a tensor that is not a signal
// (tensors.h), and ErrorKind::unanalysable for one that is too short, flat or not finite.
template <class Context>
Recording<Context> recording_of(Context&, const at::Tensor& x, std::optional<double> rate_hz);

// Returns the row of x for each lead of its recording.
template <class Context>
std::vector<std::int64_t> rows_of_leads(const Recording<Context>& recording);

// Returns the sizes of a tensor with `sizes` for each lead of x.
std::vector<std::int64_t> sizes_by_lead(const at::Tensor& x, std::vector<std::int64_t> sizes);

// Returns the quality of each block as codes, [L][B] or [B]. A row that is not in the recording is flat or missing
// throughout.
//   leads  for each lead of the recording; none with method published, which makes B 0
template <class Context>
at::Tensor blocks_of(Context&, const at::Tensor& x, const Recording<Context>& recording,
                     const std::vector<SignalQuality>& leads);

// Returns the quality of blocks for the recording's leads. Throws ErrorKind::usage unless `blocks` has the shape and
// the codes of blocks_of.
template <class Context>
std::vector<std::vector<Quality>> blocks_in(Context&, const at::Tensor& x, const at::Tensor& blocks,
                                            const Recording<Context>& recording);

// Returns qualities as numbers for tensors, in the order of the enum.
std::vector<std::uint8_t> codes_of(const std::vector<Quality>& quality);

}  // namespace beatscan::operators
