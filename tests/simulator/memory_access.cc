#include "simulator/memory_access.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <type_traits>

#include "simulator/place.h"
#include "simulator/running_launch.h"
#include "simulator/stream_races.h"

namespace cuda_machine {
namespace {

enum class Use : std::uint8_t { read, write, update };

std::string hex(std::uint64_t value) {
  char text[16];
  return "0x" + std::string(text, std::to_chars(text, text + sizeof text, value, 16).ptr);
}

std::string words_of(Use use, std::uint32_t bytes, std::uint64_t address) {
  const char* const word = use == Use::read ? "read" : use == Use::write ? "write" : "update";
  return std::string(word) + " of " + std::to_string(bytes) + " bytes at " + hex(address);
}

// As many ones as bytes, in the lowest bytes: what Allocation::written() has where all are written.
constexpr std::uint64_t ones(std::uint32_t bytes) { return 0x0101'0101'0101'0101u >> (8 - bytes) * 8; }

// The accesses of an instruction: finds a lane's bytes, and checks all there is to check.
class Access {
 public:
  Access(Warp& warp, const Instruction& instruction, Use use)
      : warp_(warp),
        launch_(warp.block().launch()),
        instruction_(instruction),
        use_(use),
        bytes_(instruction.memory.bytes()),
        checks_races_(launch_.races()),
        checks_streams_(launch_.checks_streams()),
        shared_(warp.block().shared().data()),
        shared_bytes_(warp.block().shared().size()) {}

  // Where the bytes are. Throws KernelFault. Half of the time of a launch goes by in here.
  [[gnu::always_inline]] std::uint8_t* bytes_of(unsigned lane, std::uint64_t address) {
    std::uint8_t* const simple = simply(address);
    return simple ? simple : carefully(lane, address);
  }

 private:
  // Null unless all is well at first sight, as nearly always.
  [[gnu::always_inline]] std::uint8_t* simply(std::uint64_t address) {
    if (address & (bytes_ - 1) || checks_races_) return nullptr;
    if (instruction_.memory.space == Space::shared) {
      return address + bytes_ <= shared_bytes_ ? shared_ + address : nullptr;
    }
    if (instruction_.memory.space != Space::global || checks_streams_) return nullptr;
    Allocation* const allocation = launch_.last_found();
    if (!allocation || !allocation->has(address, bytes_) || bytes_ > sizeof(std::uint64_t)) return nullptr;
    std::uint8_t* const written = allocation->written(address);
    if (written && !note_written(written)) return nullptr;
    return allocation->at(address);
  }

  // False: it reads what is not known to be written.
  [[gnu::always_inline]] bool note_written(std::uint8_t* written) const {
    std::uint64_t flags = 0;
    if (use_ != Use::write) {
      std::memcpy(&flags, written, bytes_);
      if (flags != ones(bytes_)) return false;
    }
    if (use_ != Use::read) {
      flags = ones(bytes_);
      std::memcpy(written, &flags, bytes_);
    }
    return true;
  }

  [[gnu::noinline]] std::uint8_t* carefully(unsigned lane, std::uint64_t address) {
    if (address & (bytes_ - 1)) fail(lane, address, Finding::misaligned, "misaligned");
    switch (space_of(address)) {
      case Space::shared: return shared(lane, address);
      case Space::local: return local(lane, address);
      case Space::param: return parameter(lane, address);
      default: return global(lane, address);
    }
  }

  // Of a generic address the window tells; it is taken away.
  Space space_of(std::uint64_t& address) const {
    if (instruction_.memory.space != Space::generic) return instruction_.memory.space;
    if (address >= kLocalWindow) {
      address -= kLocalWindow;
      return Space::local;
    }
    if (address >= kSharedWindow) {
      address -= kSharedWindow;
      return Space::shared;
    }
    return Space::global;
  }

  std::uint8_t* global(unsigned lane, std::uint64_t address) {
    Allocation* const allocation = launch_.find(address);
    if (!allocation) fail(lane, address, Finding::out_of_bounds, "no memory there");
    if (!allocation->has(address, bytes_)) fail(lane, address, Finding::out_of_bounds, "beyond the end of the memory");
    if (std::uint8_t* const written = allocation->written(address)) check_written(lane, address, written);
    if (RaceCheck* const races = launch_.races(); races && allocation->shadow()) {
      races->access(warp_, instruction_, lane, *allocation->shadow(), address - allocation->address(), address);
    }
    if (checks_streams_ && allocation->work_shadow()) {
      const Launch& launch = launch_.launch();
      allocation->work_shadow()->access(*launch.order, launch.work, address - allocation->address(), bytes_,
                                        use_ != Use::read);
    }
    return allocation->at(address);
  }

  void check_written(unsigned lane, std::uint64_t address, std::uint8_t* written) {
    if (use_ != Use::write && settings().check_unwritten) {
      for (std::uint32_t i = 0; i < bytes_; ++i) {
        if (written[i] || !(instruction_.memory.used_bytes >> i & 1)) continue;
        note(warp_, instruction_, lane, Finding::unwritten,
             "byte " + std::to_string(i) + " of a " + words_of(use_, bytes_, address) + " was never written");
        break;
      }
    }
    if (use_ != Use::read) std::memset(written, 1, bytes_);
  }

  std::uint8_t* shared(unsigned lane, std::uint64_t address) {
    std::vector<std::uint8_t>& memory = warp_.block().shared();
    if (address > memory.size() || bytes_ > memory.size() - address) {
      fail(lane, address, Finding::out_of_bounds, "beyond the block's shared memory");
    }
    if (RaceCheck* const races = launch_.races()) {
      races->access(warp_, instruction_, lane, races->shared_shadow(warp_.block()), address, address);
    }
    return memory.data() + address;
  }

  std::uint8_t* local(unsigned lane, std::uint64_t address) {
    const std::uint32_t size = warp_.kernel().local_bytes;
    if (address > size || bytes_ > size - address) {
      fail(lane, address, Finding::out_of_bounds, "beyond the thread's local memory");
    }
    return warp_.local(lane) + address;
  }

  std::uint8_t* parameter(unsigned lane, std::uint64_t address) {
    const std::vector<std::uint8_t>& parameters = launch_.launch().parameters;
    if (use_ != Use::read || address > parameters.size() || bytes_ > parameters.size() - address) {
      fail(lane, address, Finding::out_of_bounds, "beyond the parameters");
    }
    return const_cast<std::uint8_t*>(parameters.data()) + address;
  }

  [[noreturn]] void fail(unsigned lane, std::uint64_t address, Finding finding, const char* why) const {
    fault(warp_, instruction_, lane, finding, words_of(use_, bytes_, address) + ": " + why);
  }

  Warp& warp_;
  RunningLaunch& launch_;
  const Instruction& instruction_;
  const Use use_;
  const std::uint32_t bytes_;
  const bool checks_races_, checks_streams_;
  std::uint8_t* const shared_;
  const std::size_t shared_bytes_;
};

template <class T>
std::uint64_t extended(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<std::uint64_t>(
      static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value));
}

// Calls f(T()) with the type of an element.
template <class F>
void with_type(const MemoryAccess& memory, F f) {
  switch (memory.size) {
    case 1: return memory.is_signed ? f(std::int8_t()) : f(std::uint8_t());
    case 2: return memory.is_signed ? f(std::int16_t()) : f(std::uint16_t());
    case 4: return memory.is_signed ? f(std::int32_t()) : f(std::uint32_t());
    default: return f(std::uint64_t());
  }
}

template <class T>
T updated(AtomicOperation operation, T old, T b, T c) {
  using U = std::make_unsigned_t<T>;
  switch (operation) {
    case AtomicOperation::add: return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
    case AtomicOperation::min: return std::min(old, b);
    case AtomicOperation::max: return std::max(old, b);
    case AtomicOperation::bit_and: return old & b;
    case AtomicOperation::bit_or: return old | b;
    case AtomicOperation::bit_xor: return old ^ b;
    case AtomicOperation::exchange: return b;
    case AtomicOperation::compare_and_swap: return old == b ? c : old;
    case AtomicOperation::inc: return old >= b ? 0 : static_cast<T>(old + 1);
    case AtomicOperation::dec: return old == 0 || old > b ? b : static_cast<T>(old - 1);
    case AtomicOperation::none: break;
  }
  return old;
}

// Returns what was there, as a register holds it.
template <class T>
std::uint64_t update(std::uint8_t* at, AtomicOperation operation, std::uint64_t b, std::uint64_t c) {
  T old;
  std::memcpy(&old, at, sizeof old);
  const T now = updated(operation, old, static_cast<T>(b), static_cast<T>(c));
  std::memcpy(at, &now, sizeof now);
  return static_cast<std::make_unsigned_t<T>>(old);
}

std::uint64_t update(std::uint8_t* at, const MemoryAccess& memory, std::uint64_t b, std::uint64_t c) {
  switch (memory.size) {
    case 2: return update<std::uint16_t>(at, memory.atomic, b, c);
    case 4:
      return memory.is_signed ? update<std::int32_t>(at, memory.atomic, b, c)
                              : update<std::uint32_t>(at, memory.atomic, b, c);
    default:
      return memory.is_signed ? update<std::int64_t>(at, memory.atomic, b, c)
                              : update<std::uint64_t>(at, memory.atomic, b, c);
  }
}

// Addresses in shared memory have 32 bits.
std::uint64_t address_of(const Instruction& i, std::uint64_t base) {
  const std::uint64_t address = base + static_cast<std::uint64_t>(i.memory.offset);
  return i.memory.space == Space::shared ? static_cast<std::uint32_t>(address) : address;
}

void count(Warp& warp, const Instruction& i, LaneMask lanes) {
  MemoryTraffic* const traffic = warp.block().launch().traffic();
  if (traffic) traffic->access(warp, i, lanes, warp.from(i.from[0]));
}

}  // namespace

void load(Warp& warp, const Instruction& i, LaneMask lanes) {
  count(warp, i, lanes);
  Access access(warp, i, Use::read);
  const Warp::Values base = warp.from(i.from[0]);  // a copy: it may be a destination, too
  with_type(i.memory, [&](auto type) {
    for_each_lane(lanes, [&](unsigned lane) {
      const std::uint8_t* const bytes = access.bytes_of(lane, address_of(i, base[lane]));
      for (std::size_t n = 0; n < i.memory.elements; ++n) {
        warp.to(i.to[n])[lane] = extended<decltype(type)>(bytes + n * sizeof type);
      }
    });
  });
}

void store(Warp& warp, const Instruction& i, LaneMask lanes) {
  count(warp, i, lanes);
  Access access(warp, i, Use::write);
  const Warp::Values& base = warp.from(i.from[0]);
  with_type(i.memory, [&](auto type) {
    for_each_lane(lanes, [&](unsigned lane) {
      std::uint8_t* const bytes = access.bytes_of(lane, address_of(i, base[lane]));
      for (std::size_t n = 0; n < i.memory.elements; ++n) {
        std::memcpy(bytes + n * sizeof type, &warp.from(i.from[1 + n])[lane], sizeof type);
      }
    });
  });
}

void atomic(Warp& warp, const Instruction& i, LaneMask lanes) {
  count(warp, i, lanes);
  Access access(warp, i, Use::update);
  const Warp::Values base = warp.from(i.from[0]);
  // In which order, nobody says.
  const unsigned first = settings().schedule == Schedule::converged
                             ? 0
                             : static_cast<unsigned>(warp.block().launch().random().below(kLanes));
  for (unsigned n = 0; n < kLanes; ++n) {
    const unsigned lane = (first + n) % kLanes;
    if (!(lanes & lane_bit(lane))) continue;
    std::uint8_t* const bytes = access.bytes_of(lane, address_of(i, base[lane]));
    const std::uint64_t c = i.sources > 2 ? warp.from(i.from[2])[lane] : 0;
    const std::uint64_t old = update(bytes, i.memory, warp.from(i.from[1])[lane], c);
    if (i.destinations) warp.to(i.to[0])[lane] = old;
  }
}

void fence(Warp& warp, const Instruction& i, LaneMask lanes) {
  RaceCheck* const races = warp.block().launch().races();
  if (races) for_each_lane(lanes, [&](unsigned lane) { races->fence(warp, i, lane); });
}

void local_to_generic(Warp& warp, const Instruction& i, LaneMask lanes) {
  for_each_lane(lanes, [&](unsigned lane) { warp.to(i.to[0])[lane] = warp.from(i.from[0])[lane] + kLocalWindow; });
}
void shared_to_generic(Warp& warp, const Instruction& i, LaneMask lanes) {
  for_each_lane(lanes, [&](unsigned lane) { warp.to(i.to[0])[lane] = warp.from(i.from[0])[lane] + kSharedWindow; });
}
void generic_to_local(Warp& warp, const Instruction& i, LaneMask lanes) {
  for_each_lane(lanes, [&](unsigned lane) { warp.to(i.to[0])[lane] = warp.from(i.from[0])[lane] - kLocalWindow; });
}
void generic_to_shared(Warp& warp, const Instruction& i, LaneMask lanes) {
  for_each_lane(lanes, [&](unsigned lane) { warp.to(i.to[0])[lane] = warp.from(i.from[0])[lane] - kSharedWindow; });
}

}  // namespace cuda_machine
