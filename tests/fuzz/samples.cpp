#include "tests/fuzz/samples.h"

#include <algorithm>
#include <bit>

namespace beatscan::fuzz {
namespace {

// Returns the samples of all leads, one lead after the other.
std::vector<float> read_in_pieces(const SampleSource& source, std::size_t piece) {
  const auto samples = static_cast<std::size_t>(source.samples), leads = source.signal.leads.size();
  std::vector<float> all(samples * leads);
  for (std::size_t done = 0; done < samples; done += piece) {
    std::vector<std::span<float>> blocks;
    for (std::size_t lead = 0; lead < leads; ++lead)
      blocks.push_back(std::span(all).subspan(lead * samples + done, std::min(piece, samples - done)));
    source.read(blocks);
  }
  return all;
}

}  // namespace

void check_source(std::int64_t bytes, const std::function<SampleSource()>& open) {
  // A byte of a FLAC file that is not decoded to check its claim may hold 16 samples
  // (stages/io/wfdb/wfdb_record.cpp). Up to 99 missing samples may come with each recorded one.
  constexpr std::int64_t kMostPerByte = 100 * 16;
  std::vector<float> whole;
  const std::string refusal = refusal_of([&] {
    const SampleSource source = open();
    require(!source.signal.leads.empty() && source.signal.leads.size() <= kMostLeads, "no leads, or too many");
    require(source.samples >= 0 && source.samples / kMostPerByte <= bytes, "more samples than bytes can hold");
    whole = read_in_pieces(source, 1 << 20);
  });
  const std::string refusal_in_pieces = refusal_of([&] {
    const auto pieces = read_in_pieces(open(), 7);
    require(refusal.empty(), "refused as a whole alone: " + refusal);
    const auto same_bits = [](float a, float b) {
      return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
    };
    require(std::ranges::equal(pieces, whole, same_bits), "read in pieces it is another recording");
  });
  require(refusal == refusal_in_pieces, "refused otherwise in pieces: " + refusal + " / " + refusal_in_pieces);
}

}  // namespace beatscan::fuzz
