// Data Records in the octets of their Template, straight from Flow Records; and the sections of an IPFIX output, which
// hold such octets for Messages that are still to be made.
//
// Templates and type information are libfixbuf's work. Data Records are not: its transcoder takes three times as long,
// since it looks up anew how every field goes over (bench/ipfix.cc). tests/record/ipfix/ holds both against each other,
// octet by octet.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/annotations.h"
#include "core/observed_points.h"
#include "core/record_writer.h"
#include "record/ipfix/record_shape.h"
#include "record/ipfix/template_messages.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline record {

class RecordEncoder {
 public:
  // `observed`: not owned; null if no field tells where flows were observed. `extra`: as of the layout.
  explicit RecordEncoder(const Fields& fields, const ObservedPoints* observed = nullptr,
                         const ExtraColumns& extra = {});

  // Octets of a Data Record without those of variable length, which stand last.
  std::size_t length() const { return length_; }

  // Writes length() octets to `to`. `reverse` may be null if no field is of it. REQUIRES: the fields are those of the
  // records' shape (record_shape.h), or what does not apply is written as 0.
  void encode(const FlowRecord& record, const FlowRecord* reverse, std::uint8_t* to) const;

  // Appends what is noted, as far as there is room for its texts in kMostNoted octets: a text is cut there, and a
  // label left out. False: some were.
  bool has_noted() const { return !noted_.empty(); }
  bool encode_noted(const Annotations& noted, std::vector<std::uint8_t>& to) const;
  static constexpr std::size_t kMostNoted = 640;  // so that a record fits into a datagram

 private:
  struct Noted {
    FieldKind kind;
    std::uint32_t annotation;  // or, of an annex, the AnnexField
    bool reverse;              // its annex is the other direction's
  };
  struct Step {
    FieldKind kind;
    bool of_reverse;
    std::uint16_t at;
  };
  std::vector<Step> steps_;
  std::vector<Noted> noted_;
  std::uint32_t annexes_[2] = {};                          // fields of the annex that the Template has
  std::size_t room_ = kMostNoted;                          // for texts of labels and fields
  std::vector<std::shared_ptr<const ExtraColumn>> added_;  // numbers, behind those of the steps
  const ObservedPoints* observed_;
  std::size_t length_ = 0;
};

struct KnownTemplate {
  std::uint16_t id;
  RecordEncoder encoder;
};

// The Templates of all usual shapes, known before the first record: what several threads may encode with at once.
//
// Immutable after construction.
class UsualTemplates {
 public:
  // Their Template IDs are `first_id` and those that follow. `rules` must outlive them.
  // `cut`: as IpfixOptions::cut_records.
  UsualTemplates(const ShapeRules& rules, std::uint16_t first_id,
                 std::shared_ptr<std::atomic<std::uint64_t>> cut = nullptr);
  UsualTemplates(const UsualTemplates&) = delete;
  UsualTemplates& operator=(const UsualTemplates&) = delete;

  RecordShape shape_of(const FlowRecord& record, const FlowRecord* reverse) const {
    return rules_.shape_of(record, reverse);
  }
  // Null for shapes of records that lack columns of their own.
  const KnownTemplate* find(const RecordShape& shape) const {
    return (shape.absent | shape.reverse_absent) == 0 ? by_number_[number_of(shape)] : nullptr;
  }
  const std::vector<TemplateDefinition>& definitions() const { return definitions_; }

  // As the encoder does, and counts what is cut. Threads: any.
  void encode_noted(const RecordEncoder& encoder, const Annotations& noted, std::vector<std::uint8_t>& to) const {
    if (!encoder.encode_noted(noted, to) && cut_) ++*cut_;
  }

 private:
  static constexpr std::size_t kShapes = 256;
  static std::size_t number_of(const RecordShape& s) {
    return std::size_t{s.ipv6} | std::size_t{s.tcp} << 1 | std::size_t{s.connection} << 2 | std::size_t{s.wide} << 3 |
           static_cast<std::size_t>(s.reverse) << 4 | std::size_t{s.egress} << 6 | std::size_t{s.handshake} << 7;
  }

  const ShapeRules& rules_;
  const std::shared_ptr<std::atomic<std::uint64_t>> cut_;
  std::vector<TemplateDefinition> definitions_;
  std::vector<KnownTemplate> templates_;
  std::array<const KnownTemplate*, kShapes> by_number_{};  // in templates_; null for what cannot be
};

// A section of such Data Records. Flow Records of unusual shapes, whose Templates are not known yet, stay in it as they
// are; those of the usual ones are known before.
class EncodedSection : public RecordSection {
 public:
  // `templates` must outlive it.
  explicit EncodedSection(const UsualTemplates& templates) : templates_(templates) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    write_annotated(record, reverse, kNoAnnotations);
  }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) override;
  std::size_t bytes() const override;

  // Calls encoded(template, octets, how many, end_ns) or whole(record, reverse, annotations) for one record after the
  // other while more(), but for one at least. They are gone then.
  template <class Encoded, class Whole, class More>
  void take(Encoded encoded, Whole whole, More more);

 private:
  struct Entry {
    const KnownTemplate* known;  // null: whole
    std::int64_t end_ns;
    std::uint32_t octets;
    bool paired;     // if whole: its reverse follows
    bool annotated;  // as well: there are annotations of it
  };
  // Up to where records were taken.
  struct Place {
    std::size_t entry = 0, octet = 0, whole = 0, noted = 0;
  };
  void clear();

  const UsualTemplates& templates_;
  std::vector<Entry> entries_;
  std::vector<std::uint8_t> octets_;  // of the encoded ones, one after the other
  std::vector<FlowRecord> whole_;
  std::vector<Annotations> noted_;  // of these
  Place taken_;
};

template <class Encoded, class Whole, class More>
void EncodedSection::take(Encoded encoded, Whole whole, More more) {
  if (entries_.empty()) return;
  Place at = taken_;
  do {
    const Entry& entry = entries_[at.entry];
    if (entry.known) {
      encoded(*entry.known, &octets_[at.octet], std::size_t{entry.octets}, entry.end_ns);
      at.octet += entry.octets;
    } else {
      const FlowRecord* record = &whole_[at.whole];
      whole(record[0], entry.paired ? &record[1] : nullptr, entry.annotated ? noted_[at.noted] : kNoAnnotations);
      at.whole += entry.paired ? 2 : 1;
      at.noted += entry.annotated;
    }
  } while (++at.entry < entries_.size() && more());
  taken_ = at;
  if (taken_.entry == entries_.size()) clear();
}

}  // namespace warpmeter::inline record
