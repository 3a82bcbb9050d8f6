// What feeders say when they come, and the rings that they hand over. Input: one step after the other, whose lowest
// three bits say what is done, the others by which of four feeders:
//
//   0       comes
//   1       says hello: what of it is wrong, how many rings it says, how many descriptors it hands over (1 byte each),
//           and of the first two of these what they are
//   2       goes
//   3       says something else, of so many bytes
//   4 to 7  the meter looks
//
// A meter takes the first that does all as it should, and no other; what it says of others are lines; it keeps no
// descriptor of any; and whatever is in the rings is taken without harm.
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <vector>

#include "base/files/descriptor.h"
#include "fuzz/input_bytes.h"
#include "packet/nic/feeder/feeder_point.h"
#include "support/feeder_talk.h"
#include "warpmeter/feeder_ring.h"

namespace warpmeter::fuzz {
namespace {

constexpr std::size_t kFeeders = 4, kMostSteps = 24, kMostHandedOver = 70;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;
enum class Said { nothing, right, wrong, either };

int open_descriptors() {
  DIR* const folder = opendir("/proc/self/fd");
  must(folder != nullptr);
  int count = 0;
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

// What a feeder hands over in the place of its ring `ring`.
struct HandedOver {
  Descriptor descriptor;
  Said is = Said::right;
};

HandedOver memfd_of(std::uint32_t ring, std::uint32_t rings, int seals, InputBytes* changes) {
  wmf_header header{};
  header.magic = WMF_MAGIC;
  header.version = WMF_VERSION;
  header.header_bytes = WMF_HEADER_BYTES;
  header.data_bytes = WMF_LEAST_DATA;
  header.ring = ring;
  header.rings = rings;
  header.snaplen = 2000;
  HandedOver made{Descriptor(memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING))};
  if (changes) {
    const std::size_t at = changes->u8();
    reinterpret_cast<std::uint8_t*>(&header)[at] = changes->u8();
    made.is = Said::either;
  }
  const int fd = made.descriptor.get();
  must(ftruncate(fd, WMF_HEADER_BYTES + WMF_LEAST_DATA) == 0);
  must(pwrite(fd, &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header));
  must(fcntl(fd, F_ADD_SEALS, seals) == 0);
  if (seals != kSeals) made.is = Said::wrong;
  return made;
}

HandedOver handed_over(std::uint32_t ring, std::uint32_t rings, std::uint8_t kind, InputBytes& in) {
  switch (kind & 7) {
    case 1: return memfd_of(ring, rings, F_SEAL_SHRINK, nullptr);
    case 2: return memfd_of(ring, rings, kSeals, &in);
    case 3: return memfd_of(ring + 1, rings, 0, nullptr);
    case 4: return {Descriptor(open("/dev/null", O_RDWR | O_CLOEXEC)), Said::wrong};
    case 5: return {Descriptor(memfd_create("empty", MFD_CLOEXEC)), Said::wrong};
    case 6: return {Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), Said::wrong};
    case 7: return {Descriptor(open("/", O_PATH | O_CLOEXEC)), Said::wrong};
    default: return memfd_of(ring, rings, kSeals, nullptr);
  }
}

class Feeder {
 public:
  void come(const std::string& name) {
    if (connection_) return;
    Descriptor connection(test::connect_to_meter(name));
    if (!connection) return;
    connection_ = std::move(connection);
    said_ = Said::nothing;
  }

  void say_hello(InputBytes& in) {
    wmf_hello hello{WMF_HELLO_MAGIC, WMF_VERSION, 0};
    const std::uint8_t wrong = in.u8();
    hello.rings = in.u8();
    const std::size_t count = in.u8() % kMostHandedOver;
    Said is = hello.rings == count && count >= 1 && count <= WMF_MOST_RINGS ? Said::right : Said::wrong;
    std::vector<HandedOver> rings;
    for (std::uint32_t i = 0; i < count; ++i) {
      rings.push_back(handed_over(i, hello.rings, i < 2 ? in.u8() : 0, in));
      if (is == Said::right || rings.back().is == Said::wrong) is = rings.back().is;
    }
    if (wrong & 1) reinterpret_cast<std::uint8_t*>(&hello)[wrong >> 1 & 15] ^= 1, is = Said::wrong;
    send_all(&hello, wrong & 0x80 ? sizeof hello - 1 : sizeof hello, rings, wrong & 0x80 ? Said::wrong : is);
  }

  void say(InputBytes& in) {
    const std::string text = in.text(1 + in.u8() % 40);
    send_all(text.data(), text.size(), {}, Said::wrong);
  }

  void go() { connection_.reset(); }
  bool is_there() const { return static_cast<bool>(connection_); }
  Said said() const { return said_; }

 private:
  // What it says first counts.
  void send_all(const void* bytes, std::size_t size, const std::vector<HandedOver>& rings, Said is) {
    if (!connection_ || size == 0) return;
    std::vector<int> descriptors;
    for (const HandedOver& ring : rings) descriptors.push_back(ring.descriptor.get());
    if (!test::say_to_meter(connection_.get(), bytes, size, descriptors)) return;
    if (said_ == Said::nothing) said_ = is;
  }

  Descriptor connection_;
  Said said_ = Said::nothing;
};

void take_frames(const FeederLink& link) {
  must(!link.queues().empty() && link.queues().size() <= WMF_MOST_RINGS);
  static CopiedFrames frames;
  for (const auto& queue : link.queues()) {
    frames.clear();
    queue->take(frames);
    queue->count();
  }
}

void run(InputBytes& in, const std::string& name) {
  FeederLink link(name);
  std::array<Feeder, kFeeders> feeders;
  for (std::size_t step = 0; step < kMostSteps && in.left() > 0; ++step) {
    const std::uint8_t what = in.u8();
    Feeder& feeder = feeders[what >> 3 & 3];
    switch (what & 7) {
      case 0: feeder.come(name); break;
      case 1: feeder.say_hello(in); break;
      case 2: feeder.go(); break;
      case 3: feeder.say(in); break;
      default: link.attend();
    }
    for (const std::string& line : link.take_news()) must_be_a_line(line);
  }
  for (std::size_t i = 0; i < kMostSteps; ++i) link.attend();  // each may refuse one
  for (const std::string& line : link.take_news()) must_be_a_line(line);
  bool may_have_come = false, must_have_come = false;
  for (const Feeder& feeder : feeders) {
    may_have_come |= feeder.said() == Said::right || feeder.said() == Said::either;
    must_have_come |= feeder.said() == Said::right && feeder.is_there();
  }
  must(!must_have_come || link.has_come());
  if (link.has_come()) take_frames(link);
  if (link.has_come() && !link.is_gone()) must(may_have_come);
  if (link.is_gone() && !link.ended_well()) must_be_a_line(link.why_gone());
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  static const std::string name = "fuzz-" + std::to_string(getpid());
  fuzz::InputBytes in(data, size);
  const int before = fuzz::open_descriptors();
  fuzz::run(in, name);
  fuzz::must(fuzz::open_descriptors() == before);
  return 0;
}
