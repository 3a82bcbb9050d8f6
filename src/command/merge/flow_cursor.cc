#include "command/merge/flow_cursor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/files/descriptor.h"
#include "flow/runs/annotation_parts.h"
#include "flow/runs/waiting_record.h"

namespace warpmeter::inline command {
namespace {

std::string named(const std::string& path) { return path == "-" ? "standard input" : path; }

bool descriptors_are_left() {
  const Descriptor one(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  return one || errno != EMFILE;
}

}  // namespace

MergedFlows::MergedFlows(std::vector<std::unique_ptr<FlowCursor>> flows, const MergeOrder& order)
    : heap_(Before{order}) {
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (flows[i]->head()) heap_.add({std::move(flows[i]), i});
  }
  show_first();
}

void MergedFlows::advance() {
  FlowCursor& taken = *heap_.first().flows;
  taken.advance();
  if (taken.head()) heap_.first_changed();
  else heap_.drop_first();
  show_first();
}

namespace {

// In the order of their numbers: they all wait for one interval (interval_order).
Partial numbered(const FlowRecord& record, std::uint64_t number, bool reverse) {
  return as_partial({.record = record, .place = waiting_place(number, reverse)});
}

}  // namespace

std::shared_ptr<const RunFile> write_run(FlowCursor& flows, const std::string& folder) {
  RunWriter writer(folder, interval_order);
  std::uint64_t number = 0;
  std::vector<Partial> parts;
  for (; flows.head(); flows.advance()) {
    const Biflow& flow = *flows.head();
    writer.write(numbered(flow.forward, ++number, false));
    if (flow.has_reverse) writer.write(numbered(flow.reverse, ++number, true));
    if (flows.annotations().empty()) continue;
    parts.clear();
    append_behind(parts, flow.forward, flows.annotations());
    for (const Partial& part : parts) writer.write(numbered(part, ++number, false));
  }
  return std::make_shared<const RunFile>(writer.finish());
}

RunFlows::RunFlows(std::shared_ptr<const RunFile> file) : reader_(file, 0, file->size()) {
  annotations_ = &noted_;
  advance();
}

void RunFlows::advance() {
  head_ = nullptr;
  noted_.clear();
  if (!reader_.head()) return;
  flow_ = {};
  flow_.forward = *reader_.head();
  reader_.advance();
  if (reader_.head() && is_reverse(*reader_.head())) {
    flow_.reverse = *reader_.head();
    flow_.has_reverse = true;
    reader_.advance();
  }
  for (; reader_.head() && is_annotation(*reader_.head()); reader_.advance()) add_part(noted_, *reader_.head());
  head_ = &flow_;
}

void note_unreadable(const Error& error, FilesRead& read) {
  if (error.status() != ExitStatus::failed) throw;
  if (!descriptors_are_left()) throw Error(std::string(error.what()) + " (fewer --most-files; ulimit -n allows more)");
  read.unreadable.push_back(error.what());
}

FileFlows::FileFlows(std::string path, std::optional<FlowFile> file, const MergeOrder& order,
                     const std::atomic<bool>& interrupted, FilesRead& read, CommonColumns& columns)
    : path_(std::move(path)), order_(order), read_(read), columns_(columns), file_(std::move(file)) {
  try {
    if (!file_) file_.emplace(FlowFile::open(path_, interrupted));
  } catch (const Error& error) {  // though it could be opened some time ago
    note_unreadable(error, read_);
    return;
  }
  advance();
}

void FileFlows::advance() {
  Biflow flow;
  if (!next(flow)) {
    head_ = nullptr;
    annotations_ = &kNoAnnotations;
    file_.reset();
    return;
  }
  ++number_;
  if (head_ && !order_.may_follow(flow_, flow)) {
    throw Error(
        fmt::format("{}: flow {} belongs before the one before it, but only files in the order of extract are merged",
                    named(path_), number_));
  }
  if (!had_tcp_ && flow.forward.key.protocol == kProtocolTcp) {
    had_tcp_ = true;
    columns_.add(named(path_), file_->layout(), flow.forward);
  }
  ++read_.flows;
  read_.labels_cut += file_->left_out_labels();
  flow_ = flow;
  head_ = &flow_;
  annotations_ = &file_->annotations();
}

bool FileFlows::next(Biflow& flow) {
  try {
    if (file_->next(flow)) return true;
    read_.columns_cut += file_->leaves_out_columns();
    if (const auto& damage = file_->damage()) read_.damage.push_back({named(path_), *damage});
  } catch (const Error& error) {
    note_unreadable(error, read_);
  }
  return false;
}

}  // namespace warpmeter::inline command
