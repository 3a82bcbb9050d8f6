#include "record/ipfix/element_descriptions.h"

#include <glib.h>

#include "record/ipfix/fixbuf_error.h"

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

}  // namespace

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

}  // namespace warpmeter::inline record
