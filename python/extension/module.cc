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
#include "kept_rows.h"
#include "shared_arrow.h"
#include "stream_run.h"
#include "streams.h"
#include "warpmeter/extraction.h"
#include "warpmeter/flow_report.h"
#include "warpmeter/packet_selection.h"
#include "warpmeter/selection.h"
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

nb::object next_of(FlowRun& run) {
  Shared<ArrowArray> array = run.next();
  return array ? nb::cast(Batch{run.schema(), std::move(array)}) : nb::none();
}

// Those that it gave.
KeptRows kept_of(FlowRun& run, const std::vector<Batch>& batches) {
  std::vector<Shared<ArrowArray>> arrays;
  for (const Batch& batch : batches) arrays.push_back(batch.array);
  return {run.schema(), std::move(arrays)};
}

nb::tuple progress_of(const JobRun& run) {
  const ReadingProgress progress = run.progress();
  return nb::make_tuple(progress.bytes, progress.bytes_in_all, progress.packets);
}

// Names of files need not be UTF-8. All text of users comes through here; beyond, some of it would end at a NUL.
std::string text_of(const nb::bytes& bytes) {
  std::string text(bytes.c_str(), bytes.size());
  if (text.find('\0') != std::string::npos) throw Error("embedded null byte", ExitStatus::usage);
  return text;
}
nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }

using Names = std::vector<nb::bytes>;
using Words = std::vector<std::pair<std::string, nb::bytes>>;

std::vector<std::string> names_of(const Names& given) {
  std::vector<std::string> names;
  for (const nb::bytes& name : given) names.push_back(text_of(name));
  return names;
}

Options options_of(const Words& words) {
  Options options;
  for (const auto& [name, value] : words) options.push_back({name, text_of(value)});
  return options;
}

// Whoever takes it over leaves an empty one in the capsule.
ArrowArrayStream& stream_in(const nb::capsule& capsule) {
  void* const stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
  if (!stream) nb::raise_python_error();
  return *static_cast<ArrowArrayStream*>(stream);
}

template <class Kind, class... Arguments>
std::shared_ptr<FlowRun> run_of(Arguments&&... arguments) {
  return std::make_shared<FlowRun>(std::make_shared<Kind>(std::forward<Arguments>(arguments)...));
}

std::shared_ptr<FlowRun> extract(const Names& inputs, const Words& options) {
  return run_of<Extraction>(names_of(inputs), options_of(options), Delivery::arrow);
}
std::shared_ptr<FlowRun> show(const Names& inputs, const Words& options) {
  return run_of<Selection>(names_of(inputs), options_of(options), Delivery::arrow);
}
std::shared_ptr<FlowRun> show_stream(const nb::capsule& flows, const std::string& name, const Words& options) {
  return run_of<Selection>(stream_in(flows), name, options_of(options), Delivery::arrow);
}
std::shared_ptr<FlowRun> packets(const Names& inputs, const Words& options) {
  return run_of<PacketSelection>(names_of(inputs), options_of(options));
}
std::shared_ptr<FlowRun> packets_stream(const Names& inputs, const nb::capsule& flows, const std::string& name,
                                        const Words& options) {
  return run_of<PacketSelection>(names_of(inputs), stream_in(flows), name, options_of(options));
}
std::shared_ptr<FlowRun> report(const Names& inputs, const nb::bytes& output, const Words& options) {
  return run_of<FlowReport>(names_of(inputs), text_of(output), options_of(options));
}
std::shared_ptr<FlowRun> report_stream(const nb::capsule& flows, const std::string& name, const nb::bytes& output,
                                       const Words& options) {
  return run_of<FlowReport>(stream_in(flows), name, text_of(output), options_of(options));
}

std::shared_ptr<StreamRun> streams(const Names& inputs, const Words& options) {
  return std::make_shared<StreamRun>(std::make_shared<StreamReader>(names_of(inputs), options_of(options)));
}

std::vector<nb::bytes> warnings_of(const JobRun& run) {
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

void add_run_classes(nb::module_& m) {
  nb::class_<JobRun>(m, "JobRun")
      .def("ready", &JobRun::ready)
      .def("wait", &JobRun::wait)
      .def("wait_at_most", &JobRun::wait_at_most)
      .def("progress", progress_of)
      .def("summary", [](const JobRun& run) { return bytes_of(run.summary()); })
      .def("warnings", warnings_of)
      .def("close", &JobRun::close)
      .def("own", &JobRun::own);
  nb::class_<FlowRun, JobRun>(m, "FlowRun")
      .def("next", next_of)
      .def("schema", [](FlowRun& run) { return capsule_of(run.schema(), "arrow_schema"); })
      .def("stream", [](std::shared_ptr<FlowRun> run,
                        const Batch& first) { return capsule_of_stream(first.array, std::move(run)); })
      .def("kept", kept_of);
}

void add_row_classes(nb::module_& m) {
  nb::class_<KeptRows>(m, "KeptRows")
      .def("__len__", &KeptRows::rows)
      .def("columns", &KeptRows::columns)
      .def("batches", &KeptRows::batches)
      .def("slice", &KeptRows::slice)
      .def("select", &KeptRows::select)
      .def("column", &KeptRows::column)
      .def("values", &KeptRows::values)
      .def("schema", [](const KeptRows& rows) { return capsule_of(rows.schema(), "arrow_schema"); })
      .def("stream", [](const KeptRows& rows) { return capsule_of_stream(rows.schema(), rows.arrays()); });
  nb::class_<Batch>(m, "Batch",
                    "Some Flow Records, or rows made of them, as an Arrow array with a column for each of theirs.")
      .def("__len__", [](const Batch& batch) { return batch.array->length; })
      .def("__arrow_c_schema__", [](const Batch& batch) { return capsule_of(batch.schema, "arrow_schema"); })
      .def(
          "__arrow_c_array__",
          [](const Batch& batch, nb::handle) {
            return std::pair(capsule_of(batch.schema, "arrow_schema"), capsule_of(batch.array, "arrow_array"));
          },
          nb::arg("requested_schema") = nb::none())
      .def(
          "__arrow_c_stream__",
          [](const Batch& batch, nb::handle) {
            return capsule_of_stream(batch.schema, std::vector<Shared<ArrowArray>>{batch.array});
          },
          nb::arg("requested_schema") = nb::none());
}

}  // namespace

NB_MODULE(_extension, m) {
  nb::set_leak_warnings(false);  // what still has Flow Records when Python ends is no business of its user
  nb::register_exception_translator(raise);
  m.attr("version") = WARPMETER_VERSION;

  add_row_classes(m);
  add_run_classes(m);
  add_stream_classes(m);
  m.def("extract", extract);
  m.def("show", show);
  m.def("show_stream", show_stream);
  m.def("packets", packets);
  m.def("packets_stream", packets_stream);
  m.def("report", report);
  m.def("report_stream", report_stream);
  m.def("streams", streams);
}

}  // namespace warpmeter::python
