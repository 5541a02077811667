// app/report/drawing/deflate.h — compresses planes of bytes for the page.
//
// zlib looks for repeated strings, which the bytes of a signal do not have. Without that (Z_HUFFMAN_ONLY, Z_RLE) it
// still takes three times as long as this, for the same size.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace beatscan {

// Returns a stream of zlib (RFC 1950, RFC 1951): Huffman codes of bytes, and of runs of the byte before.
std::string deflated(std::span<const std::uint8_t> bytes);

}  // namespace beatscan
