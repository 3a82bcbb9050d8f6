#include "command/reassemble/stream_output.h"

#include <cstring>
#include <mutex>

#include "command/reassemble/stream_spool.h"
#include "core/thread_annotations.h"

namespace warpmeter::inline command {

// A file that several channels write to.
class RecordStreams::SharedFile {
 public:
  explicit SharedFile(OutputFile& file) : file_(file) {}

  void write(const void* bytes, std::size_t count) {
    const std::lock_guard lock(mutex_);
    file_.write(bytes, count);
  }

 private:
  std::mutex mutex_;
  OutputFile& file_ WARPMETER_GUARDED_BY(mutex_);
};

// What a channel has for it: whole records, so that those of several channels do not mix.
class RecordStreams::Part final : public ConnectionBytes {
 public:
  explicit Part(SharedFile& file) : file_(file), buffer_(new char[kBuffer]) {}

  void begin(std::uint64_t&, std::uint64_t bytes) override {
    if (bytes > size_ - fill_) flush();
    if (bytes <= size_) return;
    size_ = bytes;  // a record that is larger than all before
    buffer_.reset(new char[size_]);
  }
  void write(const void* bytes, std::size_t count) override {
    if (count > 0) std::memcpy(buffer_.get() + fill_, bytes, count);
    fill_ += count;
  }
  void end(std::uint64_t, std::uint64_t) override {}

  void flush() {
    file_.write(buffer_.get(), fill_);
    fill_ = 0;
  }

 private:
  static constexpr std::size_t kBuffer = 256 << 10;

  SharedFile& file_;
  std::size_t size_ = kBuffer;
  std::unique_ptr<char[]> buffer_;
  std::size_t fill_ = 0;
};

class RecordStreams::Channel final : public StreamConsumer {
 public:
  explicit Channel(ConnectionBytes& bytes) : bytes_(bytes) {}

  void opened(TcpConnection& connection) override { write_opened(bytes_, connection.tag, connection); }
  void take(TcpConnection& connection, const StreamBlock& block) override {
    write_block(bytes_, connection.tag, connection, block);
  }
  void ended(TcpConnection& connection, const ConnectionReport& report) override {
    write_ended(bytes_, connection.tag, connection, report);
    bytes_.end(place_in_order(connection), connection.tag);
    ++connections_;
  }

  std::uint64_t connections() const { return connections_; }

 private:
  ConnectionBytes& bytes_;
  std::uint64_t connections_ = 0;
};

RecordStreams::RecordStreams(const std::string& name, const RecordStreamsOptions& options,
                             const std::atomic<bool>& interrupted)
    : OneFileOutput(name, options.threads, interrupted) {
  if (options.unordered) shared_ = std::make_unique<SharedFile>(file_);
  for (unsigned i = 0; i < options.channels; ++i) {
    ConnectionBytes* bytes = nullptr;
    if (options.unordered) bytes = parts_.emplace_back(std::make_unique<Part>(*shared_)).get();
    else bytes = spools_.emplace_back(std::make_unique<StreamSpool>(options.tmpdir)).get();
    channels_.push_back(std::make_unique<Channel>(*bytes));
  }
  StreamsHeader header;
  if (!options.unordered) header.flags = kStreamsInOrder;
  file_.write(&header, sizeof header);
}

RecordStreams::~RecordStreams() = default;

StreamConsumer& RecordStreams::channel(unsigned number) { return *channels_[number]; }

void RecordStreams::finish(std::uint64_t stray_segments) {
  for (const auto& part : parts_) part->flush();
  for (const auto& spool : spools_) spool->finish();
  SpooledOrder order(spools_);
  for (SpooledOrder::Next next; order.next(next);) next.spool->give(next.chain, file_);
  LastRecord last{0, stray_segments};
  for (const auto& channel : channels_) last.connections += channel->connections();
  const StreamRecordHead head{StreamRecordKind::last, sizeof last};
  file_.write(&head, sizeof head);
  file_.write(&last, sizeof last);
  file_.finish();
}

}  // namespace warpmeter::inline command
