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
    why_.clear();
  }
  bool has_vlan() const { return vlan_; }
  bool has_reverse() const { return reverse_; }
  const std::string& why() const { return why_; }

  bool null() override { return is_inside(); }
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
  bool string(string_t& value) override { return !wanted() ? is_inside() : told(row_.put(*place_, value)); }
  bool binary(binary_t&) override { return refuse("binary"); }

  bool start_object(std::size_t) override { return enter(true); }
  bool start_array(std::size_t) override { return enter(false); }
  bool end_object() override { return --depth_, true; }
  bool end_array() override { return --depth_, true; }

  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    if (member_ == known_.size()) known_.emplace_back();
    auto& [known_name, place] = known_[member_++];
    if (known_name != name) {
      known_name = name;
      place = Place::of(name);
    }
    place_ = place;
    vlan_ |= place_ && place_->part == Place::Part::vlan;
    reverse_ |= place_ && place_->reverse;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    if (why_.empty()) why_ = "no JSON object";
    return false;
  }

 private:
  bool wanted() const { return depth_ == 1 && place_; }
  bool is_inside() { return depth_ > 0 || refuse("a line"); }
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
    ++depth_;
    return true;
  }

  FlowRow& row_;
  int depth_ = 0;
  std::size_t member_ = 0;
  std::vector<std::pair<std::string, std::optional<Place>>> known_;
  std::optional<Place> place_;
  bool vlan_ = false, reverse_ = false;
  std::string why_;
};

JsonReader::JsonReader(std::unique_ptr<TextSource> text)
    : text_(std::move(text)), members_(std::make_unique<Members>(row_)) {}

JsonReader::~JsonReader() = default;

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
  if (why.empty()) return true;
  if (line.number == 1) throw Error(text_->name() + ": no Flow Records: line 1: " + why);
  damage_ = ReadDamage{line.offset, "line " + std::to_string(line.number) + ": " + why};
  return false;
}

}  // namespace warpmeter::inline record
