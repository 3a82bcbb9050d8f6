#include "app/library/failure.h"

#include "base/words/printable.h"
#include "pipeline/run/stats_json.h"
#include "warpmeter/capture_error.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

template <class Kind>
std::exception_ptr made_printable(const Kind& error) {
  return std::make_exception_ptr(Kind(printable(error.what()), error.status()));
}

}  // namespace

std::exception_ptr printable_failure() {
  try {
    throw;
  } catch (const CaptureError& error) {
    return made_printable(error);
  } catch (const PipeClosed& error) {
    return made_printable(error);
  } catch (const Error& error) {
    return made_printable(error);
  } catch (...) {
    return std::current_exception();
  }
}

std::string json_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return failure_json(error);
  } catch (...) {
    return failure_json("the run failed");
  }
}

}  // namespace warpmeter
