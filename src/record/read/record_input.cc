#include "record/read/record_input.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "packet/file/segment_start.h"
#include "record/parquet/parquet_files.h"
#include "record/read/csv_reader.h"
#include "record/read/json_reader.h"
#include "record/read/record_content.h"
#include "record/read/text_source.h"
#include "record/read/unpacked_text.h"
#include "warpmeter/status.h"

#if WARPMETER_HAVE_IPFIX
#include "record/ipfix/ipfix_reader.h"
#endif

namespace warpmeter::inline record {
namespace {

enum class Content { csv, json, ipfix, parquet, unknown };

constexpr std::size_t kPeeked = 4096;

bool is_json_name(std::string_view path) {
  for (const std::string_view packing : {".gz", ".zst", ".lz4"}) {
    if (path.ends_with(packing)) path.remove_suffix(packing.size());
  }
  return path.ends_with(".json") || path.ends_with(".jsonl") || path.ends_with(".ndjson");
}

Content content_of(std::string_view first, const std::string& path) {
  if (first.starts_with(kIpfixStart)) return Content::ipfix;
  if (first.starts_with(kParquetStart)) return Content::parquet;
  if (first.empty()) return is_json_name(path) ? Content::json : Content::csv;  // of no flows, JSON has no lines
  if (first.find('\0') != std::string_view::npos) return Content::unknown;
  const auto visible = std::find_if(first.begin(), first.end(), [](unsigned char c) { return !std::isspace(c); });
  return visible != first.end() && *visible == '{' ? Content::json : Content::csv;
}

void refuse_pipe(const std::string& path, const std::string& name, const char* format) {
  struct stat status {};
  if (path != "-" && (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode))) return;
  throw Error(name + ": is " + format + ", which is read from files only");
}

std::unique_ptr<RecordReader> open_ipfix(const std::string& path, const std::string& name) {
#if WARPMETER_HAVE_IPFIX
  refuse_pipe(path, name, "IPFIX");
  return make_ipfix_reader(path);
#else
  refuse_pipe(path, name, "IPFIX");
  throw Error(name + ": is IPFIX, which this build cannot read (no libfixbuf)");
#endif
}

std::unique_ptr<RecordReader> open_parquet(const std::string& path, const std::string& name) {
#if WARPMETER_HAVE_PARQUET
  refuse_pipe(path, name, "Parquet");
  return make_parquet_reader(path);
#else
  refuse_pipe(path, name, "Parquet");
  throw Error(name + ": is Parquet, which this build cannot read (no Apache Arrow)");
#endif
}

}  // namespace

std::unique_ptr<RecordReader> open_reader(const std::string& path, const std::atomic<bool>* interrupted) {
  auto text = std::make_unique<TextSource>(path, interrupted);
  std::string packed;
  text = unpacked_text(std::move(text), interrupted, packed);
  const Content content = content_of(text->peek(kParquetStart.size(), kPeeked), path);
  if (!packed.empty() && (content == Content::ipfix || content == Content::parquet)) {
    throw Error(text->name() + ": is " + (content == Content::ipfix ? "IPFIX" : "Parquet") + " within " + packed +
                "; only CSV and JSON lines are read compressed");
  }
  switch (content) {
    case Content::ipfix: return open_ipfix(path, text->name());
    case Content::parquet: return open_parquet(path, text->name());
    case Content::json: return std::make_unique<JsonReader>(std::move(text));
    case Content::csv: return std::make_unique<CsvReader>(std::move(text));
    case Content::unknown: break;
  }
  const bool segments = is_segment_start(text->peek(kSegmentStart.size(), kSegmentStart.size()));
  const std::string hint = segments           ? ", but segments, which warpmeter extract reads"
                           : is_capture(path) ? ", but a capture, which warpmeter extract reads"
                                              : "";
  throw Error(text->name() + ": no Flow Records: neither CSV, JSON lines, IPFIX nor Parquet" + hint);
}

}  // namespace warpmeter::inline record
