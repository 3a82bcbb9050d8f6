// A device with the buffer, the padding and the loss counters of HP-CAP's driver, filled by a test.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "packet/nic/feeder/hpcap_driver.h"
#include "packet/nic/feeder/hpcap_point.h"
#include "support/byte_writer.h"
#include "support/hpcap_file.h"
#include "warpmeter/status.h"

namespace warpmeter::test {

// What is there of it after it was given away.
struct HpcapState {
  explicit HpcapState(std::uint64_t size) : buffer(size) {}

  // As the driver does it: where a record would cross the end of a file, padding fills that; without a header, if there
  // is no room for one. False: no room, and it is lost.
  bool put(std::uint32_t seconds, const Bytes& frame) {
    const std::uint64_t size = 12 + frame.size(), left_of_file = HpcapRing::kFileBytes - file_offset;
    const std::uint64_t padding = size > left_of_file ? left_of_file : 0;
    if (padding + size > buffer.size() - used) {
      ++lost;
      return false;
    }
    if (padding >= 12) {
      const auto rest = static_cast<std::uint16_t>(padding - 12);
      write(HpcapFile().header(0, 0, rest, rest).data());
      write(Bytes(rest, 0xee));
    } else {
      write(Bytes(padding, 0xee));
    }
    write(HpcapFile().record(seconds, 5, frame, 4).data());
    return true;
  }

  void write(const Bytes& bytes) {
    for (const std::uint8_t byte : bytes) {
      buffer[write_offset] = byte;
      write_offset = (write_offset + 1) % buffer.size();
      file_offset = (file_offset + 1) % HpcapRing::kFileBytes;
      ++used;
    }
  }

  Bytes buffer;
  std::uint64_t write_offset = 0, read_offset = 0, used = 0, file_offset = 0, lost = 0, acknowledged = 0;
  std::string refusal;  // what it fails with
};

class HpcapDouble : public HpcapDevice {
 public:
  explicit HpcapDouble(std::shared_ptr<HpcapState> state) : state_(std::move(state)) {}

  HpcapBuffer map() const override { return {state_->buffer.data(), state_->buffer.size()}; }
  HpcapAvailable ack_wait(std::uint64_t ack) override {
    if (!state_->refusal.empty()) throw Error(state_->refusal);
    if (ack > state_->used) throw Error("more given back than was there");
    state_->acknowledged += ack;
    state_->used -= ack;
    state_->read_offset = (state_->read_offset + ack) % state_->buffer.size();
    return {state_->read_offset, state_->used};
  }
  HpcapPlace place() override { return {state_->write_offset, state_->file_offset}; }
  std::uint64_t lost() const override { return state_->lost; }

 private:
  const std::shared_ptr<HpcapState> state_;
};

}  // namespace warpmeter::test
