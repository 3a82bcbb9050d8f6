#include "record/read/text_readers.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "warpmeter/status.h"

namespace warpmeter::inline record {

// The members of one object on their way into the row. Lines mostly have the same members in the same order, so that a
// name is looked up once and then recognised by its place.
class JsonReader::Members : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Members(FlowRow& row) : row_(row) {}

  void start() {
    depth_ = 0;
    member_ = 0;
    has_labels_ = false;
    labels_.clear();
    texts_.clear();
    why_.clear();
  }
  // What the object has of annotations; their columns.
  ExtraColumns take_annotations(Annotations& to) {
    to.clear();
    row_.give_annexes(to);
    if (has_labels_) note_texts(to);
    ExtraColumns columns = noted_.columns();
    add_annotation_columns(columns, annex_columns(annexes_[0], annexes_[1]));
    return columns;
  }
  void note_texts(Annotations& to) {
    if (const auto number = noted_.add(kLabelsName)) {
      for (const std::string& label : labels_) noted_.note(to, *number, label);
    }
    for (const auto& [member, text] : texts_) {
      if (const auto number = noted_.add(known_[member].name)) noted_.note(to, *number, text);
    }
  }
  const NotedColumns& noted() const { return noted_; }
  bool has_vlan() const { return vlan_; }
  bool has_reverse() const { return reverse_; }
  const std::string& why() const { return why_; }

  bool null() override { return !wanted() ? note({}) : is_inside(); }
  bool boolean(bool value) override { return !wanted() ? is_inside() : refuse(value ? "'true'" : "'false'"); }
  bool number_integer(number_integer_t value) override {
    return !wanted() ? is_inside() : told(row_.put(*place_, value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (!wanted()) return is_inside();
    if (value > static_cast<number_unsigned_t>(INT64_MAX)) return refuse("'" + std::to_string(value) + "'");
    return told(row_.put(*place_, static_cast<std::int64_t>(value)));
  }
  // Some programs write all numbers that may be null as floating point.
  bool number_float(number_float_t value, const string_t& text) override {
    constexpr double kWholeUpTo = 9007199254740992;  // 2^53
    if (!wanted()) return is_inside();
    if (std::trunc(value) != value || std::fabs(value) > kWholeUpTo) return refuse("'" + text + "'");
    return told(row_.put(*place_, static_cast<std::int64_t>(value)));
  }
  bool string(string_t& value) override { return !wanted() ? note(value) : told(row_.put(*place_, value)); }
  bool binary(binary_t&) override { return refuse("binary"); }

  bool start_object(std::size_t) override { return enter(true); }
  bool start_array(std::size_t) override { return enter(false); }
  bool end_object() override { return --depth_, true; }
  bool end_array() override { return --depth_, true; }

  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    if (member_ == known_.size()) known_.emplace_back();
    auto& [known_name, place, is_labels] = known_[member_++];
    if (known_name != name) {
      known_name = name;
      place = Place::of(name);
      is_labels = name == kLabelsName;
    }
    place_ = place;
    if (!place_) {
      is_labels_ = is_labels;
      has_labels_ |= is_labels;
    }
    vlan_ |= place_ && place_->part == Place::Part::vlan;
    if (place_ && place_->part == Place::Part::annex) annexes_[place_->reverse] |= 1u << place_->number;
    reverse_ |= place_ && place_->reverse;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    if (why_.empty()) why_ = "no JSON object";
    return false;
  }

 private:
  struct Known {
    std::string name;
    std::optional<Place> place;
    bool is_labels = false;
  };
  bool wanted() const { return depth_ == 1 && place_; }
  bool is_inside() { return depth_ > 0 || refuse("a line"); }
  // Of a member that no Flow Record has.
  bool note(std::string_view text) {
    if (is_labels_ && (depth_ == 1 || (depth_ == 2 && in_list_))) {
      if (labels_.size() < NotedColumns::kMostLabels) labels_.emplace_back(text);
    } else if (depth_ == 1 && texts_.size() < NotedColumns::kMost) {
      texts_.emplace_back(member_ - 1, text);
    }
    return is_inside();
  }
  bool told(bool good) {
    if (!good) why_ = row_.why();
    return good;
  }
  bool refuse(const std::string& what) {
    why_ = wanted() ? place_->name() + ": " + what + " is not a whole number" : what + " is no JSON object";
    return false;
  }
  bool enter(bool object) {
    if (depth_ == 0 && !object) return refuse("a list");
    if (wanted()) return refuse(object ? "an object" : "a list");
    if (depth_ == 1) in_list_ = !object;
    ++depth_;
    return true;
  }

  FlowRow& row_;
  int depth_ = 0;
  std::size_t member_ = 0;
  std::vector<Known> known_;
  std::optional<Place> place_;
  bool vlan_ = false, reverse_ = false;
  std::uint32_t annexes_[2] = {};                           // fields that any object had
  bool is_labels_ = false;                                  // the member
  bool in_list_ = false;                                    // of the object
  bool has_labels_ = false;                                 // the object
  std::vector<std::string> labels_;                         // that it has
  std::vector<std::pair<std::size_t, std::string>> texts_;  // of other members, by their numbers
  NotedColumns noted_;
  std::string why_;
};

JsonReader::JsonReader(std::unique_ptr<TextSource> text)
    : text_(std::move(text)), members_(std::make_unique<Members>(row_)) {
  annotations_ = &noted_;
}

JsonReader::~JsonReader() = default;

bool JsonReader::leaves_out_columns() const { return members_->noted().left_out(); }

bool JsonReader::next(Biflow& flow) {
  if (damage_) return false;
  TextLine line;
  do {
    if (!text_->next(line)) {
      if (const std::string broken = text_->broken(); !broken.empty()) damage_ = ReadDamage{text_->offset(), broken};
      return false;
    }
  } while (line.text.empty());
  row_.clear();
  members_->start();
  std::string why;
  if (!nlohmann::json::sax_parse(line.text.begin(), line.text.end(), members_.get())) why = members_->why();
  else if (!row_.finish(0, flow)) why = row_.why();
  if (!why.empty() && !line.ended && !text_->broken().empty()) why = text_->broken();
  else if (!why.empty() && !line.ended && line.text.size() >= TextSource::kLongest) why = "too long";
  layout_.vlan = members_->has_vlan();
  layout_.biflow = members_->has_reverse();
  if (why.empty()) {
    ExtraColumns columns = members_->take_annotations(noted_);
    if (columns.size() != layout_.extra.size()) layout_.extra = std::move(columns);
    return true;
  }
  if (line.number == 1) throw Error(text_->name() + ": no Flow Records: line 1: " + why);
  damage_ = ReadDamage{line.offset, "line " + std::to_string(line.number) + ": " + why};
  return false;
}

}  // namespace warpmeter::inline record
