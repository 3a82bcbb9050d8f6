#include "app/library/job_end.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/words/printable.h"
#include "pipeline/run/summary_list.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

template <class Kind>
std::exception_ptr made_printable(const Kind& error) {
  return std::make_exception_ptr(Kind(printable(error.what()), error.status()));
}

using Json = nlohmann::ordered_json;

// In the words of the summary of `extract`.
Json json_of_read(ExitStatus status, const FilesRead& read) {
  return {{"exit_status", static_cast<int>(status)}, {"flows_read", read.flows}};
}

std::string finished(Json json, const FilesRead& read) {
  auto& damage = json["damage"] = Json::array();
  for (const DamagedFile& d : read.damage) {
    damage.push_back({{"file", d.name}, {"offset", d.damage.offset}, {"reason", d.damage.reason}});
  }
  json["unreadable"] = read.unreadable;
  json["interrupted"] = !read.all;
  return stats_text(json);
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

std::string summary_json(const ShowSummary& shown) {
  Json json = json_of_read(shown.status, shown.read);
  json["flows_matching"] = shown.matching;
  json["rows"] = shown.rows;
  if (shown.groups) json["sums"] = shown.groups;
  json["totals"] = totals_json(shown.totals, shown.absent);
  return finished(std::move(json), shown.read);
}

std::string summary_json(const ReportSummary& written) {
  return finished(json_of_read(written.status, written.read), written.read);
}

std::vector<std::string> lines_of(const FilesRead& read, std::string_view place) {
  std::vector<std::string> lines = warnings_of(read, place);
  if (read.again) {
    lines.push_back(
        fmt::format("{} file{} named again, and read once", read.again, read.again == 1 ? " was" : "s were"));
  }
  return lines;
}

}  // namespace warpmeter
