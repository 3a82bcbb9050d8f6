// A frame whose captured bytes lie in a heap buffer of exactly their size, so that a sanitizer sees one byte too far.
#pragma once

#include <algorithm>
#include <memory>

#include "support/byte_writer.h"
#include "warpmeter/frame.h"
#include "warpmeter/link_type.h"

namespace warpmeter::test {

class HeldFrame {
 public:
  explicit HeldFrame(const Bytes& whole, std::uint16_t link = kLinkEthernet) : HeldFrame(whole, link, whole.size()) {}

  // The first `captured` bytes of a frame.
  static HeldFrame cut(const Bytes& whole, std::size_t captured, std::uint16_t link = kLinkEthernet) {
    return HeldFrame(whole, link, captured);
  }

  Frame& frame() { return frame_; }
  const Frame& frame() const { return frame_; }

 private:
  HeldFrame(const Bytes& whole, std::uint16_t link, std::size_t captured) : bytes_(new std::uint8_t[captured]) {
    std::copy_n(whole.begin(), captured, bytes_.get());
    frame_ = {bytes_.get(), 0, static_cast<std::uint32_t>(captured), static_cast<std::uint32_t>(whole.size()), link};
  }
  std::unique_ptr<std::uint8_t[]> bytes_;
  Frame frame_{};
};

}  // namespace warpmeter::test
