// A compressed file as a ByteSource of what is in it: the window moves through the chunks that Unpacking makes, and
// nothing is copied but what straddles two of them.
#pragma once

#include <string>

#include "packet/file/unpacking.h"

namespace warpmeter::inline packet {

class UnpackedSource : public ByteSource {
 public:
  // `format`: name of the compression, for messages.
  UnpackedSource(std::unique_ptr<ByteSource> packed, std::unique_ptr<Unpacker> unpacker, std::string format);

  void lend_to(Leases* leases) override;
  void park() override { unpacking_.park(); }
  std::uint64_t size() const override { return unpacking_.packed_size(); }
  std::uint64_t consumed() const override { return chunk_.consumed; }
  std::string broken() const override;
  std::string compression() const override { return format_; }
  void read_ahead() override { unpacking_.start(); }

 private:
  bool grow(std::size_t bytes) override;
  void show(Unpacking::Chunk next);
  void join(const Unpacking::Chunk& next);

  const std::string format_;
  Unpacking unpacking_;
  Unpacking::Chunk chunk_;          // the one that the window ends in
  std::shared_ptr<Buffer> buffer_;  // the window lies in it
  Leases* leases_ = nullptr;
};

// The source itself or, if it is compressed, what it unpacks to. `name` is for messages. Throws Error where this build
// cannot unpack it.
std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source, const std::string& name);

}  // namespace warpmeter::inline packet
