// The Information Elements that warpmeter writes and reads (RFC 7012): those of IANA as libfixbuf knows them, our own
// (data/warpmeter-elements.xml) and those of ntop that the profile of that name uses (data/ntop-elements.xml); with
// their reverse ones (RFC 5103), named reverseXxx.
//
// Owns libfixbuf's model: what was made from it (Templates, sessions, buffers) must not outlive it. Not for several
// threads at once. Each reader should have one of its own, since libfixbuf adds elements that it does not know to it.
#pragma once

#include <fixbuf/public.h>

#include <memory>

namespace warpmeter::inline record {

struct ColumnElement;

class InfoModel {
 public:
  // Throws Error if libfixbuf does not take our elements.
  InfoModel();

  fbInfoModel_t* get() const { return model_.get(); }

  // Null if there is none of that name.
  const fbInfoElement_t* find(const char* name) const;

  // Of the column, or of the other direction's; null if it is not reversible.
  const fbInfoElement_t* element(const ColumnElement& column, bool reverse = false) const;

 private:
  struct Free {
    void operator()(fbInfoModel_t* model) const { fbInfoModelFree(model); }
  };
  std::unique_ptr<fbInfoModel_t, Free> model_;
};

}  // namespace warpmeter::inline record
