// Flow Records, or rows, as the Arrow stream that a program would give.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "record/arrow/arrow_export.h"
#include "record/arrow/arrow_format.h"
#include "warpmeter/biflow.h"

namespace warpmeter::test {

// Streams of these, in batches; counts those that were released.
class ArrowBatches {
 public:
  explicit ArrowBatches(std::vector<ArrowField> fields) : fields_(std::move(fields)) {}

  void add(ArrowArray array) { arrays_.push_back(array); }
  void fail(std::string why) { failure_ = std::move(why); }

  // What is there, as a stream of its own; `released` becomes true with it.
  ArrowArrayStream stream(bool* released = nullptr) {
    ArrowArrayStream stream{};
    stream.private_data = new Given{fields_, std::exchange(arrays_, {}), failure_, 0, released};
    stream.get_schema = [](ArrowArrayStream* s, ArrowSchema* to) {
      export_schema(of(s).fields, *to);
      return 0;
    };
    stream.get_next = [](ArrowArrayStream* s, ArrowArray* to) {
      Given& given = of(s);
      *to = {};
      if (given.at < given.arrays.size()) *to = given.arrays[given.at++];
      else if (!given.failure.empty()) return 5;
      return 0;
    };
    stream.get_last_error = [](ArrowArrayStream* s) { return of(s).failure.c_str(); };
    stream.release = [](ArrowArrayStream* s) {
      const std::unique_ptr<Given> given(&of(s));
      for (; given->at < given->arrays.size(); ++given->at) given->arrays[given->at].release(&given->arrays[given->at]);
      if (given->released) *given->released = true;
      s->release = nullptr;
    };
    return stream;
  }

 private:
  struct Given {
    std::vector<ArrowField> fields;
    std::vector<ArrowArray> arrays;
    std::string failure;
    std::size_t at;
    bool* released;
  };
  static Given& of(ArrowArrayStream* stream) { return *static_cast<Given*>(stream->private_data); }

  const std::vector<ArrowField> fields_;
  std::vector<ArrowArray> arrays_;
  std::string failure_;
};

// So many in a batch; `noted`: of all flows.
inline ArrowBatches batches_of(const std::vector<Biflow>& flows, const RecordLayout& layout, std::size_t each = 3,
                               const std::vector<Annotations>& noted = {}) {
  const ArrowFormat format(layout);
  const auto section = format.new_section();
  ArrowBatches batches(arrow_fields(format.columns()));
  for (std::size_t i = 0; i < flows.size(); ++i) {
    section->write_annotated(flows[i].forward, flows[i].has_reverse ? &flows[i].reverse : nullptr,
                             noted.empty() ? kNoAnnotations : noted[i]);
    if ((i + 1) % each && i + 1 != flows.size()) continue;
    ArrowArray array{};
    static_cast<ArrowSection&>(*section).take(array);
    batches.add(array);
  }
  return batches;
}

}  // namespace warpmeter::test
