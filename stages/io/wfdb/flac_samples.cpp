#include "stages/io/wfdb/flac_samples.h"

#include <FLAC/stream_decoder.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/io/recording/input_file.h"

namespace beatscan {

// libFLAC reads bytes and hands out blocks through callbacks. No exception may pass through its code, so a callback
// keeps it in `error`.
struct FlacSamples::Decoder {
  std::shared_ptr<const InputFile> file;
  std::vector<int> channels;
  FlacInfo info;
  std::int64_t position = 0;                      // bytes of the file that have been read
  std::vector<std::vector<std::int32_t>> blocks;  // decoded samples of each channel, equally many
  std::size_t used = 0;                           // samples of each that have been handed out
  std::exception_ptr error;                       // what a callback threw
  std::string damage;                             // what libFLAC found wrong; empty if nothing
  std::unique_ptr<FLAC__StreamDecoder, decltype(&FLAC__stream_decoder_delete)> flac{FLAC__stream_decoder_new(),
                                                                                    FLAC__stream_decoder_delete};

  [[noreturn]] void refuse(const std::string& what) const { fail(ErrorKind::input, file->path().string(), what); }
  static Decoder& of(void* client) { return *static_cast<Decoder*>(client); }

  static FLAC__StreamDecoderReadStatus on_read(const FLAC__StreamDecoder*, FLAC__byte bytes[], std::size_t* size,
                                               void* client) {
    Decoder& self = of(client);
    try {
      const auto got = self.file->read(self.position, std::span(reinterpret_cast<char*>(bytes), *size));
      self.position += got;
      *size = static_cast<std::size_t>(got);
      return got > 0 ? FLAC__STREAM_DECODER_READ_STATUS_CONTINUE : FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
    } catch (...) {
      self.error = std::current_exception();
      return FLAC__STREAM_DECODER_READ_STATUS_ABORT;
    }
  }
  static FLAC__StreamDecoderWriteStatus on_block(const FLAC__StreamDecoder*, const FLAC__Frame* frame,
                                                 const FLAC__int32* const buffer[], void* client) {
    Decoder& self = of(client);
    if (static_cast<int>(frame->header.channels) != self.info.channels ||
        static_cast<int>(frame->header.bits_per_sample) != self.info.bits) {
      self.damage = "its blocks differ in channels or bits";
      return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT;
    }
    for (std::size_t i = 0; i < self.channels.size(); ++i) {
      const FLAC__int32* const decoded = buffer[self.channels[i]];
      self.blocks[i].assign(decoded, decoded + frame->header.blocksize);  // at most 65,535
    }
    self.used = 0;
    return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
  }
  static void on_metadata(const FLAC__StreamDecoder*, const FLAC__StreamMetadata* metadata, void* client) {
    if (metadata->type != FLAC__METADATA_TYPE_STREAMINFO) return;
    const auto& stream = metadata->data.stream_info;
    of(client).info = {static_cast<int>(stream.channels), static_cast<int>(stream.bits_per_sample),
                       static_cast<std::int64_t>(stream.total_samples)};
  }
  static void on_error(const FLAC__StreamDecoder*, FLAC__StreamDecoderErrorStatus status, void* client) {
    of(client).damage = FLAC__StreamDecoderErrorStatusString[status];
  }

  // Runs one step of the decoder; throws if it fails.
  template <class Step>
  void run(Step step) {
    const bool good = step(flac.get());
    if (error) std::rethrow_exception(error);
    if (!good || !damage.empty())
      refuse("not a whole FLAC file: it is damaged before byte " + std::to_string(position));
  }
  void next_block() {
    run(FLAC__stream_decoder_process_single);
    if (used == blocks[0].size() && FLAC__stream_decoder_get_state(flac.get()) == FLAC__STREAM_DECODER_END_OF_STREAM)
      refuse("not a whole FLAC file: it is cut off");
  }
};

FlacSamples::FlacSamples(std::shared_ptr<const InputFile> file, std::vector<int> channels) : decoder_(new Decoder) {
  Decoder& d = *decoder_;
  if (!d.flac) throw std::bad_alloc();
  d.file = std::move(file);
  d.channels = std::move(channels);
  d.blocks.resize(d.channels.size());
  char magic[4] = {};
  if (d.file->read(0, magic) != 4 || std::string_view(magic, 4) != "fLaC") d.refuse("is no FLAC file");
  if (FLAC__stream_decoder_init_stream(d.flac.get(), Decoder::on_read, nullptr, nullptr, nullptr, nullptr,
                                       Decoder::on_block, Decoder::on_metadata, Decoder::on_error,
                                       &d) != FLAC__STREAM_DECODER_INIT_STATUS_OK)
    throw Error(ErrorKind::internal, "libFLAC cannot start");
  d.run(FLAC__stream_decoder_process_until_end_of_metadata);
  const auto is_there = [&](int channel) { return channel >= 0 && channel < d.info.channels; };
  if (!std::ranges::all_of(d.channels, is_there))
    d.refuse("not a whole FLAC file: it has no description of its stream");
}

FlacSamples::~FlacSamples() = default;
FlacSamples::FlacSamples(FlacSamples&&) noexcept = default;

FlacInfo FlacSamples::info() const { return decoder_->info; }

void FlacSamples::read(std::int64_t samples, const TakeStored& take) {
  Decoder& d = *decoder_;
  for (std::int64_t done = 0; done < samples;) {
    while (d.used == d.blocks[0].size()) d.next_block();
    const auto count = std::min(static_cast<std::size_t>(samples - done), d.blocks[0].size() - d.used);
    for (std::size_t i = 0; i < d.blocks.size(); ++i) take(i, done, std::span(d.blocks[i]).subspan(d.used, count));
    d.used += count;
    done += static_cast<std::int64_t>(count);
  }
}

}  // namespace beatscan
