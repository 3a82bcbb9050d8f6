#include "record/read/unpacked_text.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "packet/file/byte_source.h"
#include "packet/file/unpacked_source.h"

namespace warpmeter::inline record {
namespace {

// The bytes of a TextSource as src/capture reads them.
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
