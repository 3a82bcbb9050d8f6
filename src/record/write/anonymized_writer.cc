#include "record/write/anonymized_writer.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline record {

// In the order of keys; of flows that are alike, as they came.
class AnonymizedWriter::SortedFlows : public FlowCursor {
 public:
  SortedFlows(std::vector<Flow> flows, const MergeOrder& order) : flows_(std::move(flows)) {
    for (std::size_t i = 0; i < flows_.size(); ++i) order_.push_back(i);
    std::ranges::stable_sort(order_,
                             [&](std::size_t a, std::size_t b) { return order(flows_[a].flow, flows_[b].flow) < 0; });
    show();
  }
  void advance() override {
    ++at_;
    show();
  }

 private:
  void show() {
    const bool more = at_ < order_.size();
    head_ = more ? &flows_[order_[at_]].flow : nullptr;
    annotations_ = more ? &flows_[order_[at_]].noted : &kNoAnnotations;
  }

  const std::vector<Flow> flows_;
  std::vector<std::size_t> order_;
  std::size_t at_ = 0;
};

AnonymizedWriter::AnonymizedWriter(std::unique_ptr<RecordWriter> output, const AddressAnonymizer::Key& key,
                                   const RecordLayout& layout, Waiting waiting)
    : output_(std::move(output)), anonymizer_(key), waiting_(std::move(waiting)), order_(layout.biflow) {
  for (const auto& column : layout.extra) {
    if (column->annotation()) lists_.push_back(*column->annotation());
  }
}

AnonymizedWriter::~AnonymizedWriter() = default;

bool AnonymizedWriter::leaves_out(const ExtraColumn& column) {
  if (column.annotation()) return !column.is_list();
  return column.annex() == AnnexField::src_mac || column.annex() == AnnexField::dst_mac;
}

RecordLayout AnonymizedWriter::layout(RecordLayout layout) {
  std::erase_if(layout.extra, [](const auto& column) { return leaves_out(*column); });
  return layout;
}

// Addresses around a tunnel become others as those of the Flow Key do.
Annex AnonymizedWriter::anonymized(Annex annex) {
  for (const AnnexField field : {AnnexField::src_mac, AnnexField::dst_mac}) annex.has &= ~bit_of(field);
  std::ranges::fill(annex.src_mac, std::uint8_t{0});
  std::ranges::fill(annex.dst_mac, std::uint8_t{0});
  if (annex.has_value(AnnexField::outer_src_addr)) anonymizer_.anonymize(annex.outer_version, annex.outer_src);
  if (annex.has_value(AnnexField::outer_dst_addr)) anonymizer_.anonymize(annex.outer_version, annex.outer_dst);
  return annex;
}

void AnonymizedWriter::write_annotated(const FlowRecord& record, const FlowRecord* reverse,
                                       const Annotations& annotations) {
  Flow one;
  one.flow.forward = record;
  anonymizer_.anonymize(one.flow.forward.key);
  one.flow.has_reverse = reverse != nullptr;
  if (reverse) {
    one.flow.reverse = *reverse;
    anonymizer_.anonymize(one.flow.reverse.key);
  }
  for (const Annotation& annotation : annotations.all()) {
    if (std::ranges::find(lists_, annotation.column) != lists_.end()) one.noted.add(annotation);
  }
  for (const bool of_reverse : {false, true}) {
    if (const Annex* const annex = annotations.annex(of_reverse)) one.noted.add_annex(of_reverse, anonymized(*annex));
  }
  if (!waiting_.sorts) return pass(one.flow, one.noted);
  bytes_ += sizeof one + one.noted.most();
  flows_.push_back(std::move(one));
  if (bytes_ >= waiting_.memory_limit) write_run();
}

void AnonymizedWriter::pass(const Biflow& flow, const Annotations& noted) {
  if (!stream_) stream_ = std::make_unique<RecordStream>(*output_);
  const FlowRecord* const reverse = flow.has_reverse ? &flow.reverse : nullptr;
  if (noted.empty()) stream_->write(flow.forward, reverse);
  else stream_->write_annotated(flow.forward, reverse, noted);
}

void AnonymizedWriter::write_run() {
  bytes_ = 0;
  SortedFlows sorted(std::exchange(flows_, {}), order_);
  add_run(warpmeter::write_run(sorted, waiting_.tmpdir), 0);
}

void AnonymizedWriter::add_run(std::shared_ptr<const RunFile> run, std::size_t level) {
  if (levels_.size() == level) levels_.emplace_back();
  levels_[level].push_back(std::move(run));
  if (levels_[level].size() < waiting_.fan_in) return;
  const Runs full = std::exchange(levels_[level], {});
  add_run(warpmeter::write_run(*merged_runs(full, order_), waiting_.tmpdir), level + 1);
}

// Runs of a higher level are of records that came earlier.
void AnonymizedWriter::give_all() {
  if (std::exchange(given_, true)) return;
  if (waiting_.sorts) {
    std::vector<std::unique_ptr<FlowCursor>> all;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) all.push_back(merged_runs(*level, order_));
    all.push_back(std::make_unique<SortedFlows>(std::exchange(flows_, {}), order_));
    MergedFlows merged(std::move(all), order_);
    for (; merged.head(); merged.advance()) pass(*merged.head(), merged.annotations());
  }
  if (stream_) stream_->flush();
}

void AnonymizedWriter::flush() {
  if (stream_) stream_->flush();
  output_->flush();
}

void AnonymizedWriter::rotate() {
  if (stream_) stream_->flush();
  output_->rotate();
}

void AnonymizedWriter::finish() {
  give_all();
  output_->finish();
}

void AnonymizedWriter::end() {
  give_all();
  output_->end();
}

}  // namespace warpmeter::inline record
