// cudaMemcpy, cudaMemcpyAsync, cudaMemset, cudaMemsetAsync.
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "simulator/launch_counts.h"
#include "simulator/runtime/failures.h"
#include "simulator/runtime/graph_capture.h"
#include "simulator/runtime/runtime.h"
#include "simulator/runtime/stream_handle.h"
#include "simulator/stream_races.h"

using namespace cuda_machine;

namespace {

constexpr std::string_view kCopyIn = "a copy to the device", kCopyOut = "a copy to the host",
                           kCopyOnDevice = "a copy on the device", kFill = "a fill";
constexpr std::size_t kMostWatched = 1 << 20;  // bytes of a copy whose source is looked at again

// One end of a copy.
struct Place {
  Allocation* allocation = nullptr;  // of a device; null: the host's
  std::uint8_t* bytes = nullptr;     // null: it is wrong, and was reported

  std::size_t offset() const {  // in the allocation
    return static_cast<std::size_t>(bytes - allocation->at(allocation->address()));
  }
};

Place device_place(const void* pointer, std::size_t bytes, const char* what) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  Device* const device = runtime().owner_of(address);
  Allocation* const allocation = device ? device->memory.find(address) : nullptr;
  if (allocation && allocation->has(address, bytes)) return {allocation, allocation->at(address)};
  misuse(std::string(what) + (allocation ? " runs beyond its allocation" : " is no device memory"));
  return {};
}

Place host_place(const void* pointer, const char* what) {
  if (!runtime().owner_of(reinterpret_cast<std::uint64_t>(pointer))) {
    return {nullptr, static_cast<std::uint8_t*>(const_cast<void*>(pointer))};
  }
  misuse(std::string(what) + " is device memory where the host's is meant");
  return {};
}

bool is_pinned(const void* pointer, std::size_t bytes) {
  const Allocation* const allocation = runtime().pinned.find(reinterpret_cast<std::uint64_t>(pointer));
  return allocation && allocation->has(reinterpret_cast<std::uint64_t>(pointer), bytes);
}

std::uint8_t* written_of(const Place& place) {
  return place.allocation ? place.allocation->written(place.allocation->address() + place.offset()) : nullptr;
}

void note_access(const Place& place, std::size_t bytes, bool writes, const Stream& stream, Work work) {
  WorkShadow* const shadow = place.allocation ? place.allocation->work_shadow() : nullptr;
  if (shadow) shadow->access(stream.device.order, work, place.offset(), bytes, writes);
}

// `to`: what it writes.
void count(StreamCounts::Transfers StreamCounts::*kind, const Place& to, std::size_t bytes) {
  LaunchCounts* const counts = LaunchCounts::instance();
  if (!counts) return;
  ++(counts->streams.*kind).number;
  (counts->streams.*kind).bytes += bytes;
  if (to.allocation) counts->traffic.overwritten(to.allocation->address() + to.offset(), bytes);
}

// The bytes are at `to`; what is known of them comes along.
void move_bytes(const Place& to, const Place& from, std::size_t bytes) {
  std::memmove(to.bytes, from.bytes, bytes);
  std::uint8_t* const written = written_of(to);
  if (!written) return;
  if (const std::uint8_t* const known = written_of(from)) std::memmove(written, known, bytes);
  else std::memset(written, 1, bytes);
}

cudaError_t copy_in(Stream& stream, const Place& to, const Place& from, std::size_t bytes) {
  // Pageable memory is read at once, or as good as. Pinned memory is read when the copy is made.
  auto staged = std::make_shared<std::vector<std::uint8_t>>(from.bytes, from.bytes + std::min(bytes, kMostWatched));
  if (!is_pinned(from.bytes, bytes)) {
    staged->assign(from.bytes, from.bytes + bytes);
    stream.add({.kind = OperationKind::copy_in,
                .what = kCopyIn,
                .run =
                    [=, &stream](Work work) {
                      note_access(to, bytes, true, stream, work);
                      move_bytes(to, {nullptr, staged->data()}, bytes);
                      return cudaSuccess;
                    },
                .waits_for = {},
                .bytes = bytes});
    return cudaSuccess;
  }
  stream.add({.kind = OperationKind::copy_in,
              .what = kCopyIn,
              .run =
                  [=, &stream](Work work) {
                    if (std::memcmp(staged->data(), from.bytes, staged->size()) != 0) {
                      misuse("host memory changed while its copy to the device was in flight");
                    }
                    note_access(to, bytes, true, stream, work);
                    move_bytes(to, from, bytes);
                    return cudaSuccess;
                  },
              .waits_for = {},
              .bytes = bytes,
              .host = from.bytes,
              .host_bytes = bytes});
  return cudaSuccess;
}

cudaError_t copy_out(Stream& stream, const Place& to, const Place& from, std::size_t bytes) {
  const bool pinned = is_pinned(to.bytes, bytes);
  // Until the copy is made nobody may count on what is there, but for work that comes before it.
  if (pinned && settings().order != WorkOrder::now && !runtime().uses(to.bytes, bytes))
    std::memset(to.bytes, 0x5a, bytes);
  const Mark mark = stream.add({.kind = OperationKind::copy_out,
                                .what = kCopyOut,
                                .run =
                                    [=, &stream](Work work) {
                                      note_access(from, bytes, false, stream, work);
                                      move_bytes(to, from, bytes);
                                      return cudaSuccess;
                                    },
                                .waits_for = {},
                                .bytes = bytes,
                                .host = to.bytes,
                                .host_bytes = bytes});
  if (!pinned) stream.host_waits(HostWait::copy, mark.operations);
  return stream.device.lost;
}

cudaError_t copy_on_device(Stream& stream, const Place& to, const Place& from, std::size_t bytes) {
  if (to.bytes < from.bytes + bytes && from.bytes < to.bytes + bytes)
    misuse("a copy on the device between places that overlap");
  stream.add({.kind = OperationKind::copy_on_device,
              .what = kCopyOnDevice,
              .run =
                  [=, &stream](Work work) {
                    note_access(from, bytes, false, stream, work);
                    note_access(to, bytes, true, stream, work);
                    move_bytes(to, from, bytes);
                    return cudaSuccess;
                  },
              .waits_for = {},
              .bytes = bytes});
  return cudaSuccess;
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, Stream& stream) {
  if (stream.device.lost) return stream.device.lost;
  if (must_fail("copy")) return cudaErrorUnknown;
  if (bytes == 0) return cudaSuccess;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const Place there =
      to_device ? device_place(to, bytes, "the destination of a copy") : host_place(to, "the destination of a copy");
  const Place here =
      from_device ? device_place(from, bytes, "the source of a copy") : host_place(from, "the source of a copy");
  if (!there.bytes || !here.bytes || (!to_device && !from_device)) return cudaErrorInvalidValue;
  count(to_device && from_device ? &StreamCounts::on_device
        : to_device              ? &StreamCounts::in
                                 : &StreamCounts::out,
        there, bytes);
  if (to_device && from_device) return copy_on_device(stream, there, here, bytes);
  return to_device ? copy_in(stream, there, here, bytes) : copy_out(stream, there, here, bytes);
}

cudaError_t fill(void* pointer, int byte, std::size_t bytes, Stream& stream) {
  if (stream.device.lost) return stream.device.lost;
  if (bytes == 0) return cudaSuccess;
  const Place place = device_place(pointer, bytes, "what is to be filled");
  if (!place.bytes) return cudaErrorInvalidValue;
  count(&StreamCounts::fills, place, bytes);
  stream.add({.kind = OperationKind::fill,
              .what = kFill,
              .run =
                  [=, &stream](Work work) {
                    note_access(place, bytes, true, stream, work);
                    std::memset(place.bytes, byte, bytes);
                    if (std::uint8_t* const written = written_of(place)) std::memset(written, 1, bytes);
                    return cudaSuccess;
                  },
              .waits_for = {},
              .bytes = bytes});
  return cudaSuccess;
}

OperationKind kind_of(cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDeviceToDevice) return OperationKind::copy_on_device;
  return kind == cudaMemcpyHostToDevice ? OperationKind::copy_in : OperationKind::copy_out;
}

}  // namespace

extern "C" cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                       cudaStream_t handle) {
  CUDA_MACHINE_CALL;
  Stream* const stream = stream_of(handle);
  if (!stream) return said(cudaErrorInvalidResourceHandle);
  Capture* const capture = capture_of(*stream);
  if (!capture) return said(copy(to, from, bytes, kind, *stream));
  return said(capture->add(*stream, kind_of(kind), [=](Stream& later) { return copy(to, from, bytes, kind, later); }));
}

extern "C" cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  CUDA_MACHINE_CALL;
  Stream& stream = runtime().current().default_stream();
  const cudaError_t status = copy(to, from, bytes, kind, stream);
  stream.host_waits(HostWait::copy);
  return said(status ? status : stream.device.lost);
}

extern "C" cudaError_t cudaMemsetAsync(void* pointer, int byte, std::size_t bytes, cudaStream_t handle) {
  CUDA_MACHINE_CALL;
  Stream* const stream = stream_of(handle);
  if (!stream) return said(cudaErrorInvalidResourceHandle);
  Capture* const capture = capture_of(*stream);
  if (!capture) return said(fill(pointer, byte, bytes, *stream));
  const auto give = [=](Stream& later) { return fill(pointer, byte, bytes, later); };
  return said(capture->add(*stream, OperationKind::fill, give));
}

extern "C" cudaError_t cudaMemset(void* pointer, int byte, std::size_t bytes) {
  CUDA_MACHINE_CALL;
  return said(fill(pointer, byte, bytes, runtime().current().default_stream()));
}
