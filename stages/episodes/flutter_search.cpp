#include "stages/episodes/flutter_search.h"

namespace beatscan {

template <class Context>
std::vector<Episode> flutter_of(Context& context, const Recording<Context>& recording,
                                const EnvelopeProfile<Context>& profile, const std::vector<SignalQuality>& of_leads,
                                const std::vector<std::size_t>& leads, double rate_hz, const FlutterOptions& options) {
  std::vector<std::vector<FlutterBlock>> blocks;
  std::vector<SignalQuality> quality;
  for (const std::size_t l : leads) {
    blocks.push_back(flutter_blocks<Context>(context, recording.leads[l].samples, profile.leads[l], profile.width,
                                             of_leads[l].usual_range, rate_hz, options));
    quality.push_back({of_leads[l].blocks, of_leads[l].block_samples});
  }
  const std::int64_t block = flutter_block_samples(rate_hz, options);
  return flutter_episodes(join_flutter_leads(blocks, quality, block), block, recording.samples(), options);
}

#define BEATSCAN_FLUTTER_SEARCH(Context)                                                                               \
  template std::vector<Episode> flutter_of(Context&, const Recording<Context>&, const EnvelopeProfile<Context>&,       \
                                           const std::vector<SignalQuality>&, const std::vector<std::size_t>&, double, \
                                           const FlutterOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_FLUTTER_SEARCH)

}  // namespace beatscan
