#include "record/read/record_inputs.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "packet/file/byte_source.h"
#include "packet/file/capture_reader.h"
#include "packet/file/regular_file.h"
#include "packet/file/unpacked_source.h"
#include "record/parquet/parquet_files.h"
#include "record/read/text_readers.h"
#include "record/read/text_source.h"
#include "warpmeter/status.h"

#if WARPMETER_HAVE_IPFIX
#include "record/ipfix/ipfix_reader.h"
#endif

namespace warpmeter::inline record {
namespace {

enum class Content { csv, json, ipfix, parquet, unknown };

// What a file of such a format begins with.
constexpr std::string_view kIpfixStart("\0\x0a", 2);  // the version number of a message (RFC 7011, section 3.1)
constexpr std::string_view kParquetStart = "PAR1";

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

constexpr std::size_t kLooked = 1 << 16;
// What every text of Flow Records names; its times may be in several forms.
constexpr std::string_view kNeeded[] = {"src_addr", "dst_addr", "src_port", "dst_port", "protocol"};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kAround = " \t\r\"";
  const std::size_t first = text.find_first_not_of(kAround);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kAround) - first + 1);
}

bool is_header(std::string_view line, bool whole) {
  if (!whole) return trimmed(line).starts_with(kNeeded[0]);
  return std::ranges::all_of(kNeeded, [&](std::string_view name) {
    for (std::size_t from = 0; from <= line.size();) {
      const std::size_t comma = std::min(line.find(',', from), line.size());
      if (trimmed(line.substr(from, comma - from)) == name) return true;
      from = comma + 1;
    }
    return false;
  });
}

bool is_object(std::string_view line, bool whole) {
  const auto names = [&](std::string_view name) {
    return line.find('"' + std::string(name) + '"') != std::string_view::npos;
  };
  return whole ? std::ranges::all_of(kNeeded, names) : names(kNeeded[0]);
}

bool is_text(std::string_view first) {
  if (first.find('\0') != std::string_view::npos) return false;
  if (first.starts_with(kByteOrderMark)) first.remove_prefix(kByteOrderMark.size());
  const std::size_t visible = first.find_first_not_of(" \t\r\n");
  if (visible == std::string_view::npos) return false;
  const bool json = first[visible] == '{';
  if (json) first.remove_prefix(visible);
  const std::size_t end = first.find('\n');
  const std::string_view line = first.substr(0, end);
  return json ? is_object(line, end != std::string_view::npos) : is_header(line, end != std::string_view::npos);
}

bool is_ipfix(std::string_view first) {
  if (first.size() < kMessageHeader) return true;
  return load_be16(reinterpret_cast<const std::uint8_t*>(first.data()) + 2) >= kMessageHeader;
}

// The names of its columns are in its footer, near the beginning. Without one it is a damaged file of who knows what.
bool is_parquet_of_flows(const RegularFile& file) {
  constexpr std::size_t kEnd = 8;  // length of the footer, PAR1
  const std::uint64_t size = file.size();
  std::uint8_t end[kEnd];
  if (size < kEnd || file.read(end, size - kEnd, size) != kEnd ||
      std::memcmp(end + 4, kParquetStart.data(), kParquetStart.size()) != 0) {
    return true;
  }
  const std::uint64_t length = std::uint64_t{end[0]} | end[1] << 8 | end[2] << 16 | std::uint64_t{end[3]} << 24;
  if (length > size - kEnd) return true;
  const std::uint64_t from = size - kEnd - length;
  std::string footer(std::min<std::size_t>(length, kLooked), '\0');
  if (file.read(reinterpret_cast<std::uint8_t*>(footer.data()), from, from + footer.size()) != footer.size())
    return true;
  return std::ranges::all_of(kNeeded, [&](std::string_view name) { return footer.find(name) != std::string::npos; });
}

bool has_name_of_records(std::string_view path) {
  for (const std::string_view packing : {".gz", ".zst", ".lz4"}) {
    if (path.ends_with(packing)) path.remove_suffix(packing.size());
  }
  constexpr std::string_view kNames[] = {".csv", ".json", ".jsonl", ".ndjson", ".ipfix", ".parquet"};
  return std::ranges::any_of(kNames, [&](std::string_view name) { return path.ends_with(name); });
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

bool looks_like_records(const std::string& path, const std::atomic<bool>& stop) {
  struct stat status {};
  // Those of /proc seem to be empty, and reading one may wait forever.
  if (stat(path.c_str(), &status) == 0 && status.st_size == 0) return has_name_of_records(path);
  const std::unique_ptr<ByteSource> source = unpacked(open_byte_source(path, stop), path);
  source->need(kLooked);
  const std::string_view first(reinterpret_cast<const char*>(source->at()), std::min(source->left(), kLooked));
  if (first.empty()) {
    if (!source->broken().empty()) throw Error(path + ": " + source->broken());
    return has_name_of_records(path);
  }
  if (first.starts_with(kIpfixStart)) return is_ipfix(first);
  if (first.starts_with(kParquetStart)) {
    const std::shared_ptr<const RegularFile> file = source->compression().empty() ? source->file() : nullptr;
    return !file || is_parquet_of_flows(*file);
  }
  return is_text(first);
}

bool is_capture(const std::string& path) {
  try {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
           looks_like_capture(path);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace warpmeter::inline record
