#include "simulator/runtime/device.h"

#include <algorithm>

#include "simulator/settings.h"

namespace cuda_machine {
namespace {

// Memory is handed out in such units, and begins at a multiple of 256 bytes and of no more.
constexpr std::uint64_t kUnit = 512, kOffset = 256;
constexpr std::uint64_t kGap = 4096;  // between allocations
constexpr std::uint64_t kFirstAddress = 0x9000'0000'0000u;
constexpr unsigned kDeviceBits = 42;  // of the addresses of a device

std::uint64_t rounded(std::uint64_t bytes) { return (bytes + kUnit - 1) / kUnit * kUnit; }

}  // namespace

Device::Device(int number_, StreamOrder& order_)
    : number(number_),
      order(order_),
      next_address_(kFirstAddress + (static_cast<std::uint64_t>(number_) << kDeviceBits)) {
  streams_.push_back(std::make_unique<Stream>(*this, true));
}

Allocation* Device::allocate(std::size_t bytes) {
  const std::uint64_t room = settings().memory - std::min(used, settings().memory);
  if (bytes > room || rounded(bytes) > room) return nullptr;
  used += rounded(bytes);
  const std::uint64_t address = next_address_ + kOffset;
  next_address_ = rounded(address + bytes + kGap);
  return &memory.add(std::make_unique<Allocation>(address, bytes));
}

bool Device::release(std::uint64_t address) {
  const Allocation* const allocation = memory.find(address);
  if (!allocation || allocation->address() != address) return false;
  finish();
  used -= rounded(allocation->bytes());
  return memory.remove(address);
}

Stream& Device::add_stream(bool blocking) {
  streams_.push_back(std::make_unique<Stream>(*this, blocking));
  return *streams_.back();
}

void Device::destroy(Stream& stream) {
  stream.finish();
  const auto at = std::find_if(streams_.begin(), streams_.end(), [&](const auto& one) { return one.get() == &stream; });
  destroyed_.push_back(std::move(*at));
  streams_.erase(at);
}

bool Device::has(const Stream* stream) const {
  return std::any_of(streams_.begin(), streams_.end(), [&](const auto& one) { return one.get() == stream; });
}

// Others may make streams meanwhile, and destroy some, where functions of the host are waited for.
void Device::finish() {
  std::vector<Stream*> all;
  for (const auto& stream : streams_) all.push_back(stream.get());
  for (Stream* const stream : all) stream->finish();
}

void Device::finish_blocking() {
  std::vector<Stream*> all;
  for (const auto& stream : streams_) {
    if (stream->blocking && stream != streams_.front()) all.push_back(stream.get());
  }
  for (Stream* const stream : all) stream->finish();
}

}  // namespace cuda_machine
