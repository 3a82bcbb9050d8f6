// warpmeter._extension: what of the package warpmeter is not written in Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "flow_run.h"
#include "shared_arrow.h"
#include "streams.h"
#include "warpmeter/capture_error.h"
#include "warpmeter/status.h"

namespace warpmeter::python {
namespace {

namespace nb = nanobind;

// A structure of Arrow as consumers want it: who does not take it, lets it go.
template <class T>
nb::capsule capsule_of(std::unique_ptr<T> given, const char* name) {
  nb::capsule capsule(given.get(), name, [](void* pointer) noexcept {
    const std::unique_ptr<T> owned(static_cast<T*>(pointer));
    if (owned->release) owned->release(owned.get());
  });
  given.release();
  return capsule;
}

template <class T>
nb::capsule capsule_of(const Shared<T>& whole, const char* name) {
  auto given = std::make_unique<T>();
  give(whole, *given);
  return capsule_of(std::move(given), name);
}

template <class... Source>
nb::capsule capsule_of_stream(Source&&... source) {
  auto stream = std::make_unique<ArrowArrayStream>();
  stream_of(std::forward<Source>(source)..., *stream);
  return capsule_of(std::move(stream), "arrow_array_stream");
}

// Some Flow Records.
struct Batch {
  Shared<ArrowSchema> schema;
  Shared<ArrowArray> array;
};

nb::object next_of(FlowRun& run) {
  Shared<ArrowArray> array = run.next();
  return array ? nb::cast(Batch{run.schema(), std::move(array)}) : nb::none();
}

nb::capsule capsule_of_batches(FlowRun& run, const std::vector<Batch>& batches) {
  std::vector<Shared<ArrowArray>> arrays;
  for (const Batch& batch : batches) arrays.push_back(batch.array);
  return capsule_of_stream(run.schema(), std::move(arrays));
}

// Names of files need not be UTF-8.
std::string text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }
nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }

void begin(FlowRun* at, const std::vector<nb::bytes>& inputs,
           const std::vector<std::pair<std::string, nb::bytes>>& options) {
  std::vector<std::string> names;
  for (const nb::bytes& input : inputs) names.push_back(text_of(input));
  std::vector<std::pair<std::string, std::string>> words;
  for (const auto& [name, value] : options) words.emplace_back(name, text_of(value));
  new (at) FlowRun(std::move(names), words);
}

std::vector<nb::bytes> warnings_of(const FlowRun& run) {
  std::vector<nb::bytes> lines;
  for (const std::string& line : run.warnings()) lines.push_back(bytes_of(line));
  return lines;
}

const char* class_of(const Error& error) {
  if (error.status() == ExitStatus::usage) return "UsageError";
  return dynamic_cast<const CaptureError*>(&error) ? "CaptureError" : "Error";
}

void raise(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::object type = nb::module_::import_("warpmeter._errors").attr(class_of(error));
    const std::string_view what = error.what();
    const nb::object message =
        nb::steal(PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "surrogateescape"));
    PyErr_SetObject(type.ptr(), type(message, static_cast<int>(error.status())).ptr());
  }
}

}  // namespace

NB_MODULE(_extension, m) {
  nb::set_leak_warnings(false);  // what still has Flow Records when Python ends is no business of its user
  nb::register_exception_translator(raise);
  m.attr("version") = WARPMETER_VERSION;

  nb::class_<Batch>(m, "Batch", "Some Flow Records, as an Arrow array with a column for each of theirs.")
      .def("__len__", [](const Batch& batch) { return batch.array->length; })
      .def("__arrow_c_schema__", [](const Batch& batch) { return capsule_of(batch.schema, "arrow_schema"); })
      .def(
          "__arrow_c_array__",
          [](const Batch& batch, nb::handle) {
            return std::pair(capsule_of(batch.schema, "arrow_schema"), capsule_of(batch.array, "arrow_array"));
          },
          nb::arg("requested_schema") = nb::none());

  nb::class_<FlowRun>(m, "FlowRun")
      .def("__init__", begin)
      .def("next", next_of)
      .def("ready", &FlowRun::ready)
      .def("wait", &FlowRun::wait)
      .def("summary", [](const FlowRun& run) { return bytes_of(run.summary()); })
      .def("warnings", warnings_of)
      .def("close", &FlowRun::close)
      .def("schema", [](const FlowRun& run) { return capsule_of(run.schema(), "arrow_schema"); })
      .def("stream", [](std::shared_ptr<FlowRun> run,
                        const Batch& first) { return capsule_of_stream(first.array, std::move(run)); })
      .def("stream_of", capsule_of_batches);
}

}  // namespace warpmeter::python
