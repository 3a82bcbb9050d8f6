#include "record/read/text_source.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/files/found_file.h"
#include "packet/file/byte_source.h"
#include "packet/file/unpacked_source.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

constexpr std::size_t kBuffer = 2 * TextSource::kLongest;
constexpr int kWaitMs = 100;  // for a pipe, before it is asked again whether to go on

// The bytes of a TextSource as packet/file reads them.
class PackedText : public ByteSource {
 public:
  explicit PackedText(TextSource& text) : text_(text) {}
  void lend_to(Leases*) override {}
  std::uint64_t size() const override { return 0; }
  void abandon() override { text_.abandon(); }

 private:
  bool grow(std::size_t bytes) override {
    skip_used();
    const std::string_view window = text_.peek(bytes, TextSource::kLongest);
    begin_ = at_ = reinterpret_cast<const std::uint8_t*>(window.data());
    end_ = at_ + window.size();
    return window.size() >= bytes;
  }

  void skip_used() {
    text_.skip(static_cast<std::size_t>(at_ - begin_));
    begin_ = at_;
  }

  TextSource& text_;
  const std::uint8_t* begin_ = nullptr;
};

// Lines of any file, and beyond these one for each of its bytes, as rows of Parquet: those of Flow Records take tens.
constexpr std::uint64_t kFreeLines = std::uint64_t{1} << 20;

// The other way round. Some kilobytes may unpack to lines without end, each of which takes a microsecond to read.
class UnpackedBytes : public TextBytes {
 public:
  UnpackedBytes(std::unique_ptr<TextSource> packed, std::unique_ptr<ByteSource> unpacked)
      : packed_(std::move(packed)), unpacked_(std::move(unpacked)) {}

  std::size_t read(char* to, std::size_t most) override {
    if (has_too_many() || !unpacked_->need(1)) return 0;
    const std::size_t count = std::min(most, unpacked_->left());
    std::memcpy(to, unpacked_->at(), count);
    unpacked_->advance(count);
    lines_ += static_cast<std::uint64_t>(std::count(to, to + count, '\n'));
    return count;
  }
  std::string broken() const override {
    return has_too_many() ? std::to_string(lines_) + " lines, more than so few compressed bytes can have"
                          : unpacked_->broken();
  }

 private:
  bool has_too_many() const { return lines_ > kFreeLines + unpacked_->consumed(); }

  const std::unique_ptr<TextSource> packed_;  // outlives what reads it
  const std::unique_ptr<ByteSource> unpacked_;
  std::uint64_t lines_ = 0;
};

}  // namespace

TextSource::TextSource(const std::string& path, const std::atomic<bool>* interrupted)
    : name_(path == "-" ? "standard input" : path), interrupted_(interrupted), buffer_(new char[kBuffer]) {
  file_ = path == "-" ? Descriptor(dup(STDIN_FILENO)) : open_input(path);
  if (!file_) throw Error(name_ + ": cannot be read: " + std::strerror(errno));
}

TextSource::TextSource(std::string name, std::unique_ptr<TextBytes> bytes, const std::atomic<bool>* interrupted)
    : name_(std::move(name)), interrupted_(interrupted), bytes_(std::move(bytes)), buffer_(new char[kBuffer]) {}

// False if it is not to be waited for any longer.
bool TextSource::wait_for_bytes() const {
  for (;;) {
    if (stop_asked()) return false;
    if (bytes_) return true;
    pollfd ready{file_.get(), POLLIN, 0};
    const int polled = poll(&ready, 1, kWaitMs);
    if (polled > 0 || (polled < 0 && errno != EINTR)) return true;
  }
}

std::size_t TextSource::read_some(char* to, std::size_t most) {
  if (bytes_) return bytes_->read(to, most);
  ssize_t got;
  do {
    got = read(file_.get(), to, most);
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw Error(name_ + ": cannot be read: " + std::strerror(errno));
  return static_cast<std::size_t>(got);
}

std::string TextSource::broken() const { return bytes_ && !stop_asked() ? bytes_->broken() : ""; }

// Reads once, behind what is held; false at the end.
bool TextSource::fill() {
  if (at_end_) return false;
  std::memmove(buffer_.get(), buffer_.get() + at_, held());
  fill_ -= at_;
  at_ = 0;
  if (!wait_for_bytes()) {
    if (offset_ == 0 && fill_ == 0) throw Error(name_ + ": interrupted", ExitStatus::interrupted);
    stopped_ = at_end_ = true;
    return false;
  }
  const std::size_t got = read_some(buffer_.get() + fill_, kBuffer - fill_);
  fill_ += got;
  at_end_ = got == 0;
  return !at_end_;
}

std::string_view TextSource::peek(std::size_t least, std::size_t most) {
  while (held() < least && fill()) {
  }
  return {buffer_.get() + at_, std::min(most, held())};
}

void TextSource::skip(std::size_t count) {
  at_ += count;
  offset_ += count;
}

bool TextSource::next(TextLine& line) {
  std::size_t searched = 0;
  const char* end = nullptr;
  for (;;) {
    const char* from = buffer_.get() + at_;
    end = static_cast<const char*>(std::memchr(from + searched, '\n', held() - searched));
    searched = held();
    if (end || searched >= kLongest || !fill()) break;
  }
  if (!end && (held() == 0 || stopped_)) return false;  // no part of a line, which is no damage either
  const char* from = buffer_.get() + at_;
  const std::size_t taken = end ? static_cast<std::size_t>(end + 1 - from) : held();
  line = {{from, end ? taken - 1 : taken}, offset_, ++lines_, end != nullptr};
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  skip(taken);
  return true;
}

std::unique_ptr<TextSource> unpacked_text(std::unique_ptr<TextSource> text, const std::atomic<bool>* interrupted,
                                          std::string& packing) {
  const std::string name = text->name();
  std::unique_ptr<ByteSource> source = unpacked(std::make_unique<PackedText>(*text), name);
  packing = source->compression();
  if (packing.empty()) return text;
  return std::make_unique<TextSource>(name, std::make_unique<UnpackedBytes>(std::move(text), std::move(source)),
                                      interrupted);
}

}  // namespace warpmeter::inline record
