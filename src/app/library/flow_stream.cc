#include <cerrno>
#include <string>
#include <utility>

#include "warpmeter/flow_source.h"

namespace warpmeter {
namespace {

struct Given {
  std::shared_ptr<FlowSource> source;
  std::string problem;
};

Given& given(ArrowArrayStream* stream) { return *static_cast<Given*>(stream->private_data); }

// No exception passes through the taker.
template <class Ask>
int answer(ArrowArrayStream* stream, const Ask& ask) {
  try {
    ask(*given(stream).source);
    return 0;
  } catch (const std::exception& error) {
    given(stream).problem = error.what();
    return EIO;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* to) {
  return answer(stream, [to](FlowSource& source) { source.schema(*to); });
}

int get_next(ArrowArrayStream* stream, ArrowArray* to) {
  return answer(stream, [to](FlowSource& source) { source.next(*to); });
}

const char* get_last_error(ArrowArrayStream* stream) {
  const std::string& problem = given(stream).problem;
  return problem.empty() ? nullptr : problem.c_str();
}

void release_stream(ArrowArrayStream* stream) {
  delete &given(stream);
  stream->release = nullptr;
}

}  // namespace

void export_stream(std::shared_ptr<FlowSource> source, ArrowArrayStream& to) {
  if (!source) throw Error("there is no source of Flow Records to export", ExitStatus::usage);
  to = {get_schema, get_next, get_last_error, release_stream, new Given{std::move(source), {}}};
}

}  // namespace warpmeter
