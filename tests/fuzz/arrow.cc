// Flow Records as Arrow arrays that another part of the process gives. Input: what the columns are (for each of those
// of the Flow Key one byte, which is 0 where it has its usual type, then up to seven more with a name and a type), and
// then what their arrays hold, batch after batch (given_arrays.h).
#include <optional>

#include "fuzz/given_arrays.h"
#include "fuzz/read_records.h"
#include "record/arrow/arrow_reader.h"
#include "warpmeter/status.h"

namespace warpmeter::fuzz {
namespace {

constexpr std::size_t kMostColumns = kKeyNames + 7;
constexpr std::uint8_t kUsual[kKeyNames] = {0, 0, 1, 1, 2, 3, 3};
constexpr std::int64_t kMostBatches = 4;

struct Batch {
  std::vector<std::unique_ptr<GivenColumn>> columns;
  std::vector<ArrowArray*> children;
  ArrowArray array{};
};

// A stream; all that was taken from it and not released stays counted.
class Given {
 public:
  explicit Given(InputBytes in) : in_(in), extra_(in_.u8() % (kMostColumns - kKeyNames + 1)) {
    for (std::size_t i = 0; i < kKeyNames + extra_; ++i) {
      const std::uint8_t name = i < kKeyNames ? static_cast<std::uint8_t>(i) : in_.u8();
      const std::uint8_t type = in_.u8();
      const bool is_usual = i < kKeyNames && type == 0;
      fields_[i].name = kArrowNames[name % std::size(kArrowNames)];
      fields_[i].format = kArrowFormats[is_usual ? kUsual[i] : type % 32 % std::size(kArrowFormats)];
      if (type >> 5 == 1) {  // numbers of what a dictionary has
        dictionaries_[i].format = i < kKeyNames ? kArrowFormats[kUsual[i]] : fields_[i].format;
        fields_[i].dictionary = &dictionaries_[i];
      }
      pointers_[i] = type == 0xff ? nullptr : &fields_[i];
    }
  }

  ArrowArrayStream stream() {
    ArrowArrayStream stream{};
    stream.private_data = this;
    stream.get_schema = [](ArrowArrayStream* s, ArrowSchema* to) { return of(s).give_schema(*to); };
    stream.get_next = [](ArrowArrayStream* s, ArrowArray* to) { return of(s).give_next(*to); };
    stream.get_last_error = [](ArrowArrayStream*) { return "why"; };
    stream.release = [](ArrowArrayStream* s) {
      --of(s).held_;
      s->release = nullptr;
    };
    ++held_;
    return stream;
  }

  int held() const { return held_; }
  std::size_t rows() const { return rows_; }

 private:
  static Given& of(ArrowArrayStream* stream) { return *static_cast<Given*>(stream->private_data); }

  int give_schema(ArrowSchema& to) {
    const auto count = static_cast<std::int64_t>(kKeyNames + extra_);
    to = {"+s", "", nullptr, 0, count, pointers_.data(), nullptr, nullptr, this};
    to.release = [](ArrowSchema* schema) {
      --static_cast<Given*>(schema->private_data)->held_;
      schema->release = nullptr;
    };
    ++held_;
    return 0;
  }

  int give_next(ArrowArray& to) {
    to = {};
    if (in_.left() == 0 || batches_ == kMostBatches) return 0;
    ++batches_;
    const std::uint8_t how = in_.u8();
    if (how == 0xff) return EIO;
    Batch& batch = *(batch_ = std::make_unique<Batch>());
    const std::int64_t offset = how & 8 ? 2 : 0, length = how & 7;
    for (std::size_t i = 0; i < kKeyNames + extra_; ++i) {
      const ArrowSchema* const dictionary = fields_[i].dictionary;
      batch.columns.push_back(std::make_unique<GivenColumn>(
          in_, fields_[i].format, dictionary ? dictionary->format : nullptr, offset + length));
      batch.children.push_back(batch.columns.back()->array());
    }
    const auto children = static_cast<std::int64_t>(batch.children.size());
    to = {length, 0, offset, 1, children, nullptr, batch.children.data(), nullptr, nullptr, this};
    if (how >> 4 == 14) contradict(to, batch);
    to.release = [](ArrowArray* array) {
      --static_cast<Given*>(array->private_data)->held_;
      static_cast<Given*>(array->private_data)->batch_.reset();  // whatever is read now is not there any more
      array->release = nullptr;
    };
    ++held_;
    rows_ += static_cast<std::size_t>(length);
    return 0;
  }

  void contradict(ArrowArray& array, Batch& batch) {
    switch (in_.u8() % 6) {
      case 0: array.length = -1; break;
      case 1: array.offset = INT64_MAX; break;
      case 2: --array.n_children; break;
      case 3: array.children = nullptr; break;
      case 4: ++array.n_children; break;
      default: batch.children[in_.u8() % batch.children.size()] = nullptr;
    }
  }

  InputBytes in_;
  const std::size_t extra_;
  std::array<ArrowSchema, kMostColumns> fields_{}, dictionaries_{};
  std::array<ArrowSchema*, kMostColumns> pointers_{};
  std::unique_ptr<Batch> batch_;
  std::int64_t batches_ = 0;
  std::size_t rows_ = 0;
  int held_ = 0;
};

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  fuzz::Given given({data, size});
  std::size_t flows = 0;
  try {
    ArrowArrayStream stream = given.stream();
    ArrowReader reader(stream, "flows");
    fuzz::must(stream.release == nullptr && given.held() == 1);  // the schema is gone
    Biflow flow;
    for (; reader.next(flow); ++flows) {
      fuzz::check(flow.forward);
      if (flow.has_reverse) fuzz::check(flow.reverse);
    }
    fuzz::must(flows == given.rows() && !reader.next(flow));
  } catch (const Error& error) {
    fuzz::must(std::string_view(error.what()).starts_with("flows: "));
  }
  fuzz::must(given.held() == 0 && flows <= given.rows());
  return 0;
}
