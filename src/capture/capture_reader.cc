#include "capture/capture_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include "capture/byte_source.h"
#include "capture/pcap_reader.h"
#include "capture/pcapng_reader.h"
#include "warpmeter/byte_order.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

// Other things that people hand over, to say more than "not a capture".
const char* name_of_content(const ByteSource& source) {
  const std::uint8_t* p = source.at();
  if (source.left() >= 2 && load_be16(p) == 0x1f8b) return " (it is gzip-compressed: unpack it first)";
  if (source.left() >= 4 && load_be32(p) == 0x28b52ffd) return " (it is zstd-compressed: unpack it first)";
  if (source.left() >= 4 && load_be32(p) == 0x04224d18) return " (it is lz4-compressed: unpack it first)";
  return "";
}

}  // namespace

std::unique_ptr<CaptureReader> open_capture(const std::string& path, const std::atomic<bool>& stop) {
  auto source = open_byte_source(path, stop);
  const std::string name = path == "-" ? "standard input" : path;
  source->need(PcapReader::kFileHeader);
  if (source->left() == 0) throw Error(name + ": the file is empty");
  if (PcapngReader::recognises(*source)) return std::make_unique<PcapngReader>(name, std::move(source));
  if (PcapReader::recognises(*source)) return std::make_unique<PcapReader>(name, std::move(source));
  throw Error(name + ": not a pcap or pcapng file" + name_of_content(*source));
}

bool looks_like_capture(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  std::uint8_t magic[4];
  const bool whole = read(fd, magic, sizeof magic) == sizeof magic;
  close(fd);
  return whole && (PcapReader::is_magic(magic) || PcapngReader::is_magic(magic));
}

}  // namespace warpmeter
