#include "record/ipfix/info_model.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "record/ipfix/element_descriptions.h"
#include "record/ipfix/elements.h"
#include "record/ipfix/fixbuf_error.h"

namespace warpmeter {

// Of the build: cmake/EmbedText.cmake.
extern const std::string_view kWarpmeterElements;
extern const std::string_view kNtopElements;

}  // namespace warpmeter

namespace warpmeter::inline record {
namespace {

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

}  // namespace

InfoModel::InfoModel() : model_(fbInfoModelAlloc()) {
  for (const std::string_view xml : {kWarpmeterElements, kNtopElements}) {
    FixbufError error;
    error.check(fbInfoModelReadXMLData(model_.get(), xml.data(), static_cast<gssize>(xml.size()), &error),
                "read the Information Elements");
    for (const auto& [name, description] : element_descriptions(xml)) describe(model_.get(), name, description);
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

}  // namespace warpmeter::inline record
