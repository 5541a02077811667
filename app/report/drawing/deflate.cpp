#include "app/report/drawing/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace beatscan {
namespace {

constexpr int kEndOfBlock = 256, kSymbols = 286, kLongestCode = 15;
constexpr std::size_t kShortestRun = 3, kLongestRun = 258;
constexpr std::size_t kBlockBytes = 1 << 16;

// What a block says of its bytes: a byte from 0 to 255, or kRun + n for n repetitions of the byte before.
using Token = std::uint16_t;
constexpr Token kRun = 256;
constexpr std::size_t kTokens = kRun + kLongestRun + 1;

// The symbol of a token, and the bits that follow its code: RFC 1951, 3.2.5.
struct Symbol {
  std::uint16_t symbol;
  std::uint8_t extra_bits, extra;
};
constexpr auto kSymbolOf = [] {
  std::array<Symbol, kTokens> symbols{};
  for (std::uint16_t byte = 0; byte < kRun; ++byte) symbols[byte] = {byte, 0, 0};
  for (unsigned n = 0; n < kLongestRun - kShortestRun; ++n) {
    const unsigned bits = n < 8 ? 0 : std::bit_width(n) - 3;
    symbols[kRun + kShortestRun + n] = {static_cast<std::uint16_t>(257 + 4 * bits + (n >> bits)),
                                        static_cast<std::uint8_t>(bits),
                                        static_cast<std::uint8_t>(n & ((1U << bits) - 1))};
  }
  symbols[kRun + kLongestRun] = {285, 0, 0};
  return symbols;
}();

// Bits to write, the first one in the least significant place.
struct Bits {
  std::uint32_t bits = 0;
  std::uint32_t count = 0;
};

// Writes bits to memory that is large enough, with 8 bytes to spare.
class BitWriter {
 public:
  explicit BitWriter(char* at) : at_(at) {}
  // Adds bits; at most 56 between two calls of flush().
  void add(Bits more) {
    pending_ |= std::uint64_t{more.bits} << count_;
    count_ += more.count;
  }
  void flush() {
    std::memcpy(at_, &pending_, sizeof pending_);
    at_ += count_ / 8;
    pending_ >>= count_ / 8 * 8;
    count_ %= 8;
  }
  void put(std::uint32_t bits, std::uint32_t count) {
    add({bits, count});
    flush();
  }
  // Goes on in other memory, with the bits of a byte that is not full yet.
  void move_to(char* at) { at_ = at; }
  char* at() const { return at_; }

 private:
  char* at_;
  std::uint64_t pending_ = 0;
  std::uint32_t count_ = 0;
};

using TokenCounts = std::array<std::uint32_t, kTokens>;
using Counts = std::array<std::uint32_t, kSymbols>;
using Lengths = std::array<std::uint8_t, kSymbols>;

// Returns the lengths of the codes by Huffman's algorithm, 0 for symbols that do not occur.
Lengths huffman_lengths(const Counts& counts) {
  using Node = std::pair<std::uint32_t, std::uint32_t>;  // a count, and the node's number
  std::priority_queue<Node, std::vector<Node>, std::greater<>> open;
  for (std::uint32_t symbol = 0; symbol < kSymbols; ++symbol)
    if (counts[symbol] > 0) open.emplace(counts[symbol], symbol);
  std::array<std::uint16_t, 2 * kSymbols> parents{};
  std::uint32_t nodes = kSymbols;
  for (; open.size() > 1; ++nodes) {
    std::uint32_t sum = 0;
    for (int child = 0; child < 2; ++child) {
      sum += open.top().first;
      parents[open.top().second] = static_cast<std::uint16_t>(nodes);
      open.pop();
    }
    open.emplace(sum, nodes);
  }
  std::array<std::uint8_t, 2 * kSymbols> depths{};
  Lengths lengths{};
  for (std::uint32_t node = nodes - 1; node-- > 0;)  // the last one is the root
    if (parents[node] > 0) depths[node] = static_cast<std::uint8_t>(depths[parents[node]] + 1);
  std::copy_n(depths.begin(), kSymbols, lengths.begin());
  return lengths;
}

// Returns lengths of codes that deflate allows.
Lengths code_lengths(Counts counts) {
  for (;;) {
    const Lengths lengths = huffman_lengths(counts);
    if (*std::ranges::max_element(lengths) <= kLongestCode) return lengths;
    for (std::uint32_t& count : counts) count = (count + 1) / 2;  // evens them out
  }
}

// Returns the codes for their lengths: RFC 1951, 3.2.2. They are written from the most significant bit.
std::array<Bits, kSymbols> codes_of(const Lengths& lengths) {
  std::array<std::uint32_t, kLongestCode + 2> next{}, of_length{};
  for (const std::uint8_t length : lengths) ++of_length[length];
  of_length[0] = 0;
  for (int length = 1; length <= kLongestCode; ++length) next[length + 1] = (next[length] + of_length[length]) << 1;
  std::array<Bits, kSymbols> codes{};
  for (int symbol = 0; symbol < kSymbols; ++symbol) {
    const std::uint32_t length = lengths[symbol];
    if (length == 0) continue;
    std::uint32_t code = next[length]++, reversed = 0;
    for (std::uint32_t bit = 0; bit < length; ++bit, code >>= 1) reversed = reversed << 1 | (code & 1);
    codes[symbol] = {reversed, length};
  }
  return codes;
}

// Returns how many bytes are the same as the one before, up to `most`.
std::size_t run_at(const std::uint8_t* bytes, std::size_t most) {
  const std::uint8_t* const before = bytes - 1;
  std::size_t length = 0;
  std::uint64_t eight, eight_before;
  for (; length + sizeof eight <= most; length += sizeof eight) {
    std::memcpy(&eight, bytes + length, sizeof eight);
    std::memcpy(&eight_before, before + length, sizeof eight);
    if (eight != eight_before) return length + static_cast<std::size_t>(std::countr_zero(eight ^ eight_before)) / 8;
  }
  while (length < most && bytes[length] == before[length]) ++length;
  return length;
}

// Fills in the tokens of bytes[first, end), and counts them. Returns their end.
Token* write_tokens(std::span<const std::uint8_t> bytes, std::size_t first, std::size_t end, Token* tokens,
                    TokenCounts& counts) {
  const std::uint8_t* const byte = bytes.data();
  std::uint32_t* const count = counts.data();  // checks of indices would take half of the time
  for (std::size_t at = first; at < end;) {
    std::size_t run = 0;
    if (at > 0 && byte[at] == byte[at - 1]) run = run_at(byte + at, std::min(end - at, kLongestRun));
    const auto token = static_cast<Token>(run < kShortestRun ? byte[at] : kRun + run);
    at += run < kShortestRun ? 1 : run;
    ++count[token];
    *tokens++ = token;
  }
  return tokens;
}

// Writes the head of a block with codes of its own: RFC 1951, 3.2.7. The lengths 0 to 14 take four bits each, and 15
// and a run of zeros (18) five. The distances are 1 and, so that their code is complete, 2.
void write_head(const Lengths& lengths, bool is_last, BitWriter& writer) {
  constexpr std::array kOrder = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  constexpr int kZeros = 18, kFewestZeros = 11, kMostZeros = 138;
  constexpr Bits kFifteen{0b01111, 5}, kManyZeros{0b11111, 5};
  writer.put(is_last | 2 << 1, 3);
  writer.put(kSymbols - 257, 5);
  writer.put(2 - 1, 5);
  writer.put(kOrder.size() - 4, 4);
  for (const int length : kOrder) writer.put(length == 15 || length == kZeros ? 5 : length > 15 ? 0 : 4, 3);
  for (int symbol = 0; symbol < kSymbols; ++symbol) {
    const int most = std::min(kSymbols - symbol, kMostZeros);
    int zeros = 0;
    while (zeros < most && lengths[symbol + zeros] == 0) ++zeros;
    if (zeros >= kFewestZeros) {
      writer.add(kManyZeros);
      writer.put(zeros - kFewestZeros, 7);
      symbol += zeros - 1;
      continue;
    }
    std::uint32_t reversed = 0;
    for (int bit = 0; bit < 4; ++bit) reversed |= (lengths[symbol] >> bit & 1U) << (3 - bit);
    writer.add(lengths[symbol] == kLongestCode ? kFifteen : Bits{reversed, 4});
    writer.flush();
  }
  writer.put(0b1000'1000, 8);  // the length 1 of both distances' codes
}

// Writes blocks one after another.
class Deflater {
 public:
  explicit Deflater(std::string& stream) : stream_(stream), tokens_(kBlockBytes), size_(stream.size()) {}

  void add_block(std::span<const std::uint8_t> bytes, std::size_t first, std::size_t end) {
    TokenCounts token_counts{};
    const Token* const tokens_end = write_tokens(bytes, first, end, tokens_.data(), token_counts);
    Counts counts{};
    counts[0] = counts[kEndOfBlock] = 1;  // codes need two symbols
    for (std::size_t token = 0; token < kTokens; ++token) counts[kSymbolOf[token].symbol] += token_counts[token];
    const Lengths lengths = code_lengths(counts);
    const auto codes = codes_of(lengths);
    std::array<Bits, kTokens> bits;
    std::uint64_t size_bits = 0;
    for (std::size_t token = 0; token < kTokens; ++token) {
      const auto& [symbol, extra_bits, extra] = kSymbolOf[token];
      const auto& [code, length] = codes[symbol];
      const bool has_distance = token >= kRun;  // its code is one bit, 0
      bits[token] = {code | std::uint32_t{extra} << length, length + extra_bits + has_distance};
      size_bits += std::uint64_t{token_counts[token]} * bits[token].count;
    }
    make_room(size_bits / 8 + kMostOfHead);
    write_head(lengths, end == bytes.size(), writer_);
    write_bits(tokens_end, bits);
    writer_.add(codes[kEndOfBlock]);
    writer_.flush();
  }

  // Fills the last byte.
  void end() {
    make_room(1);
    writer_.put(0, 7);
    stream_.resize(writer_.at() - stream_.data());
  }

 private:
  static constexpr std::size_t kMostOfHead = 256;

  void make_room(std::size_t bytes) {
    if (writer_.at() != nullptr) size_ = writer_.at() - stream_.data();
    stream_.resize(size_ + bytes + sizeof(std::uint64_t));
    writer_.move_to(stream_.data() + size_);
  }

  void write_bits(const Token* end, const std::array<Bits, kTokens>& bits_of_tokens) {
    const Bits* const bits = bits_of_tokens.data();
    BitWriter writer = writer_;  // in registers
    const Token* token = tokens_.data();
    for (; token + 1 < end; token += 2) {
      writer.add(bits[token[0]]);
      writer.add(bits[token[1]]);
      writer.flush();
    }
    if (token < end) writer.add(bits[*token]);
    writer.flush();
    writer_ = writer;
  }

  std::string& stream_;
  std::vector<Token> tokens_;
  std::size_t size_;
  BitWriter writer_{nullptr};
};

}  // namespace

std::string deflated(std::span<const std::uint8_t> bytes) {
  std::string stream;
  stream.reserve(bytes.size());
  stream = {0x78, 0x01};  // deflate, with the usual window
  Deflater deflater(stream);
  std::size_t first = 0;
  do {
    const std::size_t end = std::min(first + kBlockBytes, bytes.size());
    deflater.add_block(bytes, first, end);
    first = end;
  } while (first < bytes.size());
  deflater.end();
  const auto sum = static_cast<std::uint32_t>(adler32_z(1, bytes.data(), bytes.size()));
  for (int shift = 24; shift >= 0; shift -= 8) stream += static_cast<char>(sum >> shift);
  return stream;
}

}  // namespace beatscan
