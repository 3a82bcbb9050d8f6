#include "command/reassemble/stream_output.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "base/files/path_owners.h"
#include "command/reassemble/growing_files.h"
#include "command/reassemble/stream_names.h"
#include "core/seeded_hash.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

constexpr std::size_t kGathered = 64 << 10;  // bytes of small sub-blocks that are written at once

// Both ends, in an order that is the same for both directions.
using Ends = std::array<std::uint8_t, sizeof(FlowKey)>;

Ends ends_of(const FlowKey& key) {
  const FlowKey other = swapped(key);
  Ends ends;
  std::memcpy(ends.data(), compare(key, other) <= 0 ? &key : &other, sizeof key);
  return ends;
}

Descriptor open_folder(const OutputFolder& folder) {
  Descriptor opened(open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened) throw Error(folder.name() + ": " + std::strerror(errno));
  struct stat status {};
  if (fstat(opened.get(), &status) == 0 && path_owners::is_trusted(status.st_uid)) return opened;
  throw Error(folder.name() + ": another user has put a folder in its place");
}

}  // namespace

std::size_t most_open_streams() {
  constexpr rlim_t kFew = 16, kMost = 16 << 10, kOfOthers = 64;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kFew;
  const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, kMost + kOfOthers);
  if (limit.rlim_cur < wanted) {
    const rlimit more{wanted, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &more) == 0) limit = more;
  }
  return std::clamp<rlim_t>(limit.rlim_cur, kFew + kOfOthers, kMost + kOfOthers) - kOfOthers;
}

class StreamFiles::Channel final : public StreamConsumer {
 public:
  Channel(const std::string& folder, int descriptor, const StreamFilesOptions& options, std::size_t most_open)
      : options_(options), files_(folder, descriptor, most_open), gathered_(new std::uint8_t[kGathered]) {}

  void take(TcpConnection& connection, const StreamBlock& block) override {
    Streams& streams = streams_of(connection);
    if (options_.files == StreamFileOf::connection) return write(connection, streams, block, 0, nullptr);
    for (const StreamSide side : {StreamSide::client, StreamSide::server}) {
      const bool has_some = std::ranges::any_of(block.sub_blocks, [side](const SubBlock& s) { return s.side == side; });
      if (has_some) write(connection, streams, block, static_cast<int>(side), &side);
    }
  }

  void ended(TcpConnection& connection, const ConnectionReport&) override {
    if (connection.tag == 0) return;
    for (GrowingFile& file : streams_[connection.tag - 1].file) files_.close(file);
    free_.push_back(connection.tag);
  }

  void finish() { files_.close_all(); }

 private:
  // Of a connection that has carried bytes.
  struct Streams {
    std::uint64_t later = 0;  // connections of these ends that came before, and carried bytes
    std::array<GrowingFile, 2> file;
  };

  Streams& streams_of(TcpConnection& connection) {
    if (connection.tag != 0) return streams_[connection.tag - 1];
    if (free_.empty()) {
      streams_.emplace_back();
      connection.tag = streams_.size();
    } else {
      connection.tag = free_.back();
      free_.pop_back();
      streams_[connection.tag - 1] = {};
    }
    Streams& streams = streams_[connection.tag - 1];
    if (options_.names == StreamFileNames::endpoints) streams.later = seen_[ends_of(connection.key)]++;
    return streams;
  }

  StreamName name_of(const TcpConnection& connection, const Streams& streams, const StreamSide* side) const {
    if (!side) return StreamName::of_connection(connection, options_.names, streams.later);
    return StreamName::of_direction(connection, *side, options_.names, streams.later);
  }

  // What a side sent of the block, or all of it.
  void write(const TcpConnection& connection, Streams& streams, const StreamBlock& block, int which,
             const StreamSide* side) {
    GrowingFile& file = streams.file[static_cast<std::size_t>(which)];
    if (!files_.is_open(file)) files_.open(file, name_of(connection, streams, side));
    std::size_t fill = 0;
    StreamPiece alone;  // written from where it lies, if it stays so
    const auto flush = [&] {
      files_.write(file, fill > 0 ? StreamPiece(gathered_.get(), fill) : alone);
      fill = 0;
      alone = {};
    };
    const auto gather = [&](const StreamPiece& piece) {
      std::memcpy(gathered_.get() + fill, piece.data(), piece.size());
      fill += piece.size();
    };
    for (const SubBlock& sub : block.sub_blocks) {
      if (side && sub.side != *side) continue;
      for (const StreamPiece& piece : sub.pieces) {
        if (fill + alone.size() + piece.size() > kGathered) flush();
        if (fill == 0 && alone.empty()) {
          alone = piece;
          continue;
        }
        if (fill == 0) gather(alone);
        alone = {};
        gather(piece);
      }
    }
    flush();
  }

  const StreamFilesOptions options_;
  GrowingFiles files_;
  const std::unique_ptr<std::uint8_t[]> gathered_;
  std::vector<Streams> streams_;     // by a connection's tag, less 1
  std::vector<std::uint64_t> free_;  // tags
  std::unordered_map<Ends, std::uint64_t, SeededHash> seen_;
};

StreamFiles::StreamFiles(const std::string& name, const StreamFilesOptions& options)
    : folder_(name, "files of streams", Readers::owner), descriptor_(open_folder(folder_)) {
  const std::size_t most_open = std::max<std::size_t>(options.most_open / options.channels, 1);
  for (unsigned i = 0; i < options.channels; ++i) {
    channels_.push_back(std::make_unique<Channel>(folder_.name(), descriptor_.get(), options, most_open));
  }
}

StreamFiles::~StreamFiles() = default;

StreamConsumer& StreamFiles::channel(unsigned number) { return *channels_[number]; }

void StreamFiles::finish(std::uint64_t) {
  for (const auto& channel : channels_) channel->finish();
}

}  // namespace warpmeter::inline command
