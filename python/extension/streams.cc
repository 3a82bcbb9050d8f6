#include "streams.h"

#include <nanobind/nanobind.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include "gil.h"

namespace warpmeter::python {
namespace {

namespace nb = nanobind;

class Stream {
 public:
  virtual ~Stream() = default;
  virtual const Shared<ArrowSchema>& schema() const = 0;
  virtual Shared<ArrowArray> next() = 0;  // null at the end

  std::string problem;
};

class StreamOfBatches : public Stream {
 public:
  StreamOfBatches(Shared<ArrowSchema> schema, std::vector<Shared<ArrowArray>> batches)
      : schema_(std::move(schema)), batches_(std::move(batches)) {}

  const Shared<ArrowSchema>& schema() const override { return schema_; }
  Shared<ArrowArray> next() override { return at_ < batches_.size() ? std::move(batches_[at_++]) : nullptr; }

 private:
  const Shared<ArrowSchema> schema_;
  std::vector<Shared<ArrowArray>> batches_;
  std::size_t at_ = 0;
};

// An exception of Python cannot pass through the consumer, which says what it is told. Ctrl-C is raised again, as soon
// as the consumer has returned to Python.
class StreamOfRun : public Stream {
 public:
  StreamOfRun(Shared<ArrowArray> first, std::shared_ptr<FlowRun> run)
      : first_(std::move(first)), run_(std::move(run)) {}
  ~StreamOfRun() override {
    const WithGil to_wait_without_it;
    run_.reset();
  }

  const Shared<ArrowSchema>& schema() const override { return run_->schema(); }
  Shared<ArrowArray> next() override {
    if (first_) return std::exchange(first_, nullptr);
    const WithGil to_wait_without_it;
    try {
      return run_->next();
    } catch (nb::python_error& raised) {
      if (raised.matches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
      throw std::runtime_error(raised.what());
    }
  }

 private:
  Shared<ArrowArray> first_;
  std::shared_ptr<FlowRun> run_;
};

Stream& self(ArrowArrayStream* stream) { return *static_cast<Stream*>(stream->private_data); }

template <class F>
int answer(ArrowArrayStream* stream, F f) {
  try {
    f(self(stream));
    return 0;
  } catch (const std::exception& error) {
    self(stream).problem = error.what();
    return EIO;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return answer(stream, [out](Stream& s) { give(s.schema(), *out); });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  return answer(stream, [out](Stream& s) {
    *out = {};
    if (const Shared<ArrowArray> batch = s.next()) give(batch, *out);
  });
}

const char* get_last_error(ArrowArrayStream* stream) {
  const std::string& problem = self(stream).problem;
  return problem.empty() ? nullptr : problem.c_str();
}

void release(ArrowArrayStream* stream) {
  delete &self(stream);
  stream->release = nullptr;
}

void begin(std::unique_ptr<Stream> stream, ArrowArrayStream& to) {
  to = {get_schema, get_next, get_last_error, release, stream.release()};
}

}  // namespace

void stream_of(Shared<ArrowSchema> schema, std::vector<Shared<ArrowArray>> batches, ArrowArrayStream& to) {
  begin(std::make_unique<StreamOfBatches>(std::move(schema), std::move(batches)), to);
}

void stream_of(Shared<ArrowArray> first, std::shared_ptr<FlowRun> run, ArrowArrayStream& to) {
  begin(std::make_unique<StreamOfRun>(std::move(first), std::move(run)), to);
}

}  // namespace warpmeter::python
