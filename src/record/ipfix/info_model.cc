#include "record/ipfix/info_model.h"

#include <glib.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace warpmeter {

// Of the build: cmake/EmbedText.cmake.
extern const std::string_view kWarpmeterElements;
extern const std::string_view kNtopElements;
extern const std::string_view kApplicationLabels;

}  // namespace warpmeter

namespace warpmeter::inline record {
namespace {

struct Reading {
  std::map<std::string, std::string> descriptions;
  std::string name, description;
  std::string* into = nullptr;  // the text that is being read
};

void on_start(GMarkupParseContext*, const gchar* element, const gchar**, const gchar**, gpointer user, GError**) {
  Reading& reading = *static_cast<Reading*>(user);
  const std::string_view what = element;
  if (what == "record") reading.name.clear(), reading.description.clear();
  if (what == "name") reading.into = &reading.name;
  if (what == "description") reading.into = &reading.description;
}

void on_end(GMarkupParseContext*, const gchar* element, gpointer user, GError**) {
  Reading& reading = *static_cast<Reading*>(user);
  const std::string_view what = element;
  if (what == "name" || what == "description") reading.into = nullptr;
  if (what == "record") reading.descriptions[reading.name] = reading.description;
}

void on_text(GMarkupParseContext*, const gchar* text, gsize bytes, gpointer user, GError**) {
  std::string* into = static_cast<Reading*>(user)->into;
  if (!into) return;
  for (const char c : std::string_view(text, bytes)) {
    const bool space = c == ' ' || c == '\n' || c == '\t';
    if (!space) into->push_back(c);
    else if (!into->empty() && into->back() != ' ') into->push_back(' ');
  }
}

// By name of the element, in one line each: from a registry of them (data/*-elements.xml). libfixbuf's own reader
// passes over descriptions, and RFC 5610 wants them to be exported. Throws Error if it is no XML.
std::map<std::string, std::string> element_descriptions(std::string_view xml) {
  Reading reading;
  const GMarkupParser parser{on_start, on_end, on_text, nullptr, nullptr};
  GMarkupParseContext* context = g_markup_parse_context_new(&parser, GMarkupParseFlags{}, &reading, nullptr);
  FixbufError error;
  const bool done = g_markup_parse_context_parse(context, xml.data(), static_cast<gssize>(xml.size()), &error) &&
                    g_markup_parse_context_end_parse(context, &error);
  g_markup_parse_context_free(context);
  error.check(done, "read the descriptions of the Information Elements");
  for (auto& [name, text] : reading.descriptions) {
    if (text.ends_with(' ')) text.pop_back();
  }
  return reading.descriptions;
}

void describe(fbInfoModel_t* model, const std::string& name, std::string description) {
  const fbInfoElement_t* known = fbInfoModelGetElementByName(model, name.c_str());
  if (!known) throw Error("libfixbuf does not know the Information Element " + name);
  const bool reversible = known->flags & FB_IE_F_REVERSIBLE;
  fbInfoElement_t forward = *known;  // its name is the model's, which keeps it
  forward.description = description.c_str();
  fbInfoModelAddElement(model, &forward);  // in place of the one without
  if (!reversible) return;
  const std::uint16_t number = static_cast<std::uint16_t>(forward.num | FB_IE_VENDOR_BIT_REVERSE);
  fbInfoElement_t reverse = *fbInfoModelGetElementByID(model, number, forward.ent);
  description = "Reverse direction of a Biflow (RFC 5103): " + description;
  reverse.description = description.c_str();
  reverse.flags &= ~static_cast<std::uint32_t>(FB_IE_F_REVERSIBLE);
  fbInfoModelAddElement(model, &reverse);
}

void add_text(fbInfoModel_t* model, std::string name, std::uint32_t enterprise, std::uint16_t number,
              const char* description) {
  fbInfoElement_t element = FB_IE_INIT_FULL(name.data(), enterprise, number, FB_IE_VARLEN, 0, 0, 0, FB_STRING, nullptr);
  element.description = description;
  fbInfoModelAddElement(model, &element);
}

using Table = std::unordered_map<std::string_view, std::uint16_t>;

// Lines "LABEL,NUMBER"; the heading has no number.
Table table_of(std::string_view text) {
  Table table;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) continue;
    std::uint16_t number = 0;
    const char* const last = line.data() + line.size();
    if (std::from_chars(line.data() + comma + 1, last, number).ptr == last)
      table.emplace(line.substr(0, comma), number);
  }
  return table;
}

}  // namespace

InfoModel::InfoModel(const ExtraColumns& extra, IpfixProfile profile) : model_(fbInfoModelAlloc()) {
  for (const std::string_view xml : {kWarpmeterElements, kNtopElements}) {
    FixbufError error;
    error.check(fbInfoModelReadXMLData(model_.get(), xml.data(), static_cast<gssize>(xml.size()), &error),
                "read the Information Elements");
    for (const auto& [name, description] : element_descriptions(xml)) describe(model_.get(), name, description);
  }
  for (const TextElement& text : kFieldElements) {
    if (text.enterprise == kYafNumber) add_text(model_.get(), text.element, text.enterprise, text.number, nullptr);
  }
  std::string name = kSilkAppLabel;
  fbInfoElement_t number =
      FB_IE_INIT_FULL(name.data(), kYafNumber, kSilkAppLabelNumber, 2, FB_IE_F_ENDIAN, 0, 0, FB_UINT_16, nullptr);
  fbInfoModelAddElement(model_.get(), &number);
  for (const ColumnText& text : column_texts(extra, profile)) {
    if (!text.is_of_output()) continue;
    add_text(model_.get(), text.element, text.enterprise, text.number, "Text that a policy took from payload");
  }
}

const fbInfoElement_t* InfoModel::find(const char* name) const {
  return fbInfoModelGetElementByName(model_.get(), name);
}

const fbInfoElement_t* InfoModel::element(const ColumnElement& column, bool reverse) const {
  const fbInfoElement_t* forward = find(column.element);
  if (!forward || !reverse) return forward;
  if (!(forward->flags & FB_IE_F_REVERSIBLE)) return nullptr;
  // RFC 5103, section 6: a number of its own for IANA's, a bit for those of others.
  const bool of_iana = forward->ent == 0;
  return fbInfoModelGetElementByID(
      model_.get(), of_iana ? forward->num : static_cast<std::uint16_t>(forward->num | FB_IE_VENDOR_BIT_REVERSE),
      of_iana ? FB_IE_PEN_REVERSE : forward->ent);
}

std::uint16_t application_label(const std::vector<std::string_view>& labels) {
  static const Table table = table_of(kApplicationLabels);
  for (const std::string_view label : labels) {
    if (const auto found = table.find(label); found != table.end()) return found->second;
  }
  return 0;
}

}  // namespace warpmeter::inline record
