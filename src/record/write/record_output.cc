#include "record/write/record_output.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/files/file_name.h"
#include "base/files/output_place.h"
#include "base/program/messages.h"
#include "base/words/human_units.h"
#include "record/ipfix/record_encoder.h"
#include "record/ipfix/text_elements.h"
#include "record/write/anonymized_writer.h"
#include "record/write/file_writer.h"
#include "record/write/held_writer.h"
#include "record/write/interval_writer.h"
#include "record/write/kept_file.h"
#include "record/write/output_format.h"
#include "record/write/rotated_file.h"
#include "record/write/tee_writer.h"

namespace warpmeter::inline record {

RotatingWriter::RotatingWriter(const OutputOptions& options, const RecordLayout& layout)
    : options_(options), format_(make_file_format(options, layout)) {
  try_rotated_file(options_);
}

void RotatingWriter::begin() {
  if (options_.beside_earlier) number_ = last_rotated(options_.file);
  open_next();
}

void RotatingWriter::open_next() { current_ = open_rotated_file(fmt::format("{:06}", ++number_), options_, format_); }

void RotatingWriter::append(RecordSection& section) {
  while (section.bytes() > 0) {
    if (current_->bytes() >= options_.rotate_bytes) {
      current_->end();
      open_next();
    }
    current_->fill(section, options_.rotate_bytes);
  }
}

std::string RotatingWriter::left_over() const {
  if (options_.beside_earlier) return "";  // they are to stay
  return rotated_beyond(options_.file, number_);
}

namespace {

std::int64_t real_time_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::unique_ptr<RecordWriter> open_file(const OutputOptions& options, const RecordLayout& layout, OutputLoss* loss) {
  std::shared_ptr<const FileFormat> format = make_file_format(options, layout);
  auto file = std::make_unique<FileWriter>(options.file, options, format);
  if (!loss) return file;
  return std::make_unique<KeptFile>(
      std::move(format), [&file] { return std::move(file); }, *loss);
}

// Connects, where the transport does. Throws Error if that fails, or if the protocol is not built in.
std::unique_ptr<CollectorWriter> make_collector_writer(const CollectorOptions& collector, const IpfixOptions& ipfix,
                                                       const RecordLayout& layout) {
  if (collector.protocol == ExportProtocol::netflow_v9) return make_netflow_v9_collector(collector, layout);
  IpfixOptions with = ipfix;
  with.statistics = collector.statistics;
  return make_message_collector(collector, make_ipfix_messages(layout, with));
}

// The first of the columns that `is_left_out`, as "host, ja4 and 3 more"; "" if there are none.
std::string named_columns(const RecordLayout& layout,
                          const std::function<bool(const ExtraColumn&, std::size_t)>& is_left_out) {
  constexpr std::size_t kMostNamed = 8, kLongest = 64;
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < layout.extra.size(); ++i) {
    if (!is_left_out(*layout.extra[i], i) || ++count > kMostNamed) continue;
    const std::string_view name = layout.extra[i]->name();
    (names += names.empty() ? "" : ", ") += name.substr(0, kLongest);
    if (name.size() > kLongest) names += "...";
  }
  return count > kMostNamed ? fmt::format("{} and {} more", names, count - kMostNamed) : names;
}

// Columns of annotations that an output cannot have.
void warn_of_left_out(const OutputOptions& options, const RecordLayout& layout) {
  if (options.collector && options.collector->protocol == ExportProtocol::netflow_v9) {
    const std::string names =
        named_columns(layout, [](const ExtraColumn& c, std::size_t) { return c.annotation() || c.annex(); });
    if (!names.empty()) warn("NetFlow v9 has no fields for labels, texts and an annex; left out of it: " + names);
  }
  bool is_ipfix = options.collector && options.collector->protocol == ExportProtocol::ipfix;
  is_ipfix |= !options.file.empty() && options.format == Format::ipfix;
  is_ipfix |= std::ranges::any_of(options.also, [](const auto& other) { return other.format == Format::ipfix; });
  if (!is_ipfix) return;
  const std::vector<ColumnText> texts = column_texts(layout.extra, options.ipfix.profile);
  const auto is_left_out = [&](const ExtraColumn& column, std::size_t i) {
    return column.annotation() && !column.is_list() && std::ranges::find(texts, i, &ColumnText::at) == texts.end();
  };
  const std::string names = named_columns(layout, is_left_out);
  if (names.empty()) return;
  const bool has_own = options.ipfix.profile == IpfixProfile::everything;
  const std::string why =
      has_own ? fmt::format("it has at most {} columns of our own, with names of small letters, digits, _ and .",
                            std::size_t{kMostOwnTexts})
              : std::string("this profile has elements of IANA alone");
  warn(fmt::format("left out of IPFIX: {}: {}", names, why));
}

}  // namespace

bool is_stream(const OutputOptions& options) {
  if (options.file.empty() || options.rotate_ns || options.rotate_bytes || options.packing != Packing::none ||
      !is_lines(options.format)) {
    return false;
  }
  const OutputPlace place = place_of(options.file);
  struct stat status {};
  if (place.descriptor) return fstat(*place.descriptor, &status) == 0 && !S_ISREG(status.st_mode);
  return place.there && !S_ISREG(place.there->st_mode);
}

std::unique_ptr<RecordWriter> RecordOutput::open_files(const OutputOptions& options, const RecordLayout& layout) {
  const bool stream = is_stream(options);
  OutputLoss* loss = nullptr;
  if (options.goes_on && !options.named_later && !options.rotate_bytes && !stream) {
    loss = &losses_.emplace_back(options.file == "-" ? "standard output" : options.file, options.rotate_ns > 0);
  }
  if (options.while_running && !stream) {
    return std::make_unique<HeldWriter>(
        options, layout, [this] { return now_ns_; }, loss);
  }
  if (options.rotate_ns) return std::make_unique<IntervalWriter>(options, layout, loss);
  if (!options.rotate_bytes) return open_file(options, layout, loss);
  auto rotating = std::make_unique<RotatingWriter>(options, layout);
  rotating_.push_back(rotating.get());
  return rotating;
}

std::vector<OutputLossCounts> RecordOutput::losses() const {
  std::vector<OutputLossCounts> counts;
  for (const OutputLoss& loss : losses_) counts.push_back(loss.counts());
  return counts;
}

RecordLayout RecordOutput::layout_of(const OutputOptions& options, const RecordLayout& layout) {
  if (!options.anonymize) return layout;
  const std::string names =
      named_columns(layout, [](const ExtraColumn& c, std::size_t) { return AnonymizedWriter::leaves_out(c); });
  if (!names.empty()) warn("--anonymize leaves out what may name hosts: " + names);
  return AnonymizedWriter::layout(layout);
}

RecordOutput::RecordOutput(const OutputOptions& options, const RecordLayout& whole, std::function<std::int64_t()> now)
    : now_(now ? std::move(now) : real_time_ns),
      cut_in_ipfix_(std::make_shared<std::atomic<std::uint64_t>>(0)),
      now_ns_(now_()) {
  const RecordLayout layout = layout_of(options, whole);
  warn_of_left_out(options, layout);
  const auto counted = [this](OutputOptions one) {
    one.ipfix.cut_records = cut_in_ipfix_;
    return one;
  };
  std::vector<std::unique_ptr<RecordWriter>> writers;
  if (!options.file.empty()) writers.push_back(open_files(counted(options), layout));
  for (const OutputOptions& other : options.also) writers.push_back(open_files(counted(other), layout));
  if (options.collector) {
    std::unique_ptr<CollectorWriter> collector =
        make_collector_writer(*options.collector, counted(options).ipfix, layout);
    collector_ = collector.get();
    writers.push_back(std::move(collector));
  }
  if (options.taker) writers.push_back(options.taker(layout));
  if (writers.size() == 1) first_ = std::move(writers.front());
  else first_ = std::make_unique<TeeWriter>(std::move(writers));
  if (!options.anonymize) return;
  first_ = std::make_unique<AnonymizedWriter>(
      std::move(first_), *options.anonymize, layout,
      AnonymizedWriter::Waiting{!options.while_running, options.tmpdir, options.waiting_memory});
}

std::optional<ExportReport> RecordOutput::export_report() const {
  if (!collector_) return std::nullopt;
  return collector_->report();
}

std::optional<ExportState> RecordOutput::collector_state() const {
  if (!collector_) return std::nullopt;
  return collector_->state();
}

std::vector<std::string> RecordOutput::left_over() const {
  std::vector<std::string> lines;
  for (const RotatingWriter* writer : rotating_) {
    if (std::string line = writer->left_over(); !line.empty()) lines.push_back(std::move(line));
  }
  if (const std::uint64_t cut = *cut_in_ipfix_) {
    lines.push_back(fmt::format("{} of IPFIX had no room for all labels and fields: {} bytes of them are kept",
                                human_number_of(cut, "record"), RecordEncoder::kMostNoted));
  }
  return lines;
}

}  // namespace warpmeter::inline record
