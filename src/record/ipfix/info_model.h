// The Information Elements that warpmeter writes and reads (RFC 7012): those of IANA as libfixbuf knows them, our own
// (data/warpmeter-elements.xml), those of ntop that the profile of that name uses (data/ntop-elements.xml), and those
// of YAF for names in payload and for applications; with their reverse ones (RFC 5103), named reverseXxx; which of them
// carries which column; and labels as the numbers that YAF has for applications.
//
// InfoModel owns libfixbuf's model: what was made from it (Templates, sessions, buffers) must not outlive it. Not for
// several threads at once. Each reader has one of its own: it adds elements of other exporters (flow_fields.h).
#pragma once

#include <fixbuf/public.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "record/ipfix/text_elements.h"
#include "warpmeter/flow_counters.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {

// 32473 is kept for examples (RFC 5612): warpmeter has no number of its own yet. It stands in text_elements.h and in
// data/warpmeter-elements.xml only.
inline constexpr unsigned kEnterpriseNumber = kOwnNumber;

// Which Information Element carries which column. Elements of IANA are known to libfixbuf by these names; our own are
// in data/warpmeter-elements.xml.
//
// Flow Key and times have elements of more than one form (IPv4 and IPv6, milliseconds and nanoseconds); they are
// written out where Templates are made and read.
struct ColumnElement {
  std::string_view column;  // as in columns.h
  const char* element;
  bool own;  // of kEnterpriseNumber
};

#define WARPMETER_ELEMENT(name, protocols, unit, methods, title, element, registry) {#name, element, registry},
namespace elements_detail {
inline constexpr bool iana = false, own = true;  // the registries of the list of counters
inline constexpr ColumnElement kColumnElements[] = {
    WARPMETER_FIRST_COUNTERS(WARPMETER_ELEMENT)  //
    {"tcp_flags", "tcpControlBits", false},
    {"connection_bytes", "tcpConnectionOctetCount", true},
    {"connection_ns", "tcpConnectionNanoseconds", true},
    {"end_reason", "flowEndReason", false},
    WARPMETER_LATER_COUNTERS(WARPMETER_ELEMENT)  //
};
}  // namespace elements_detail
#undef WARPMETER_ELEMENT
using elements_detail::kColumnElements;

class InfoModel {
 public:
  // `extra`: columns of an output of that profile, of which some have elements that are its own (text_elements.h).
  // Throws Error if libfixbuf does not take our elements.
  explicit InfoModel(const ExtraColumns& extra = {}, IpfixProfile profile = IpfixProfile::everything);

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

// Errors of libfixbuf as our own: receives what a call of libfixbuf reports; check() throws Error if it failed.
//   FixbufError error;
//   error.check(fBufEmit(buffer, &error), "write Templates");
class FixbufError {
 public:
  FixbufError() = default;
  FixbufError(const FixbufError&) = delete;
  FixbufError& operator=(const FixbufError&) = delete;
  ~FixbufError() { g_clear_error(&error_); }

  GError** operator&() { return &error_; }
  const GError* get() const { return error_; }

  // `doing`: what failed, as in "cannot DOING".
  void check(bool done, const char* doing) const {
    if (done) return;
    throw Error(std::string("libfixbuf cannot ") + doing + ": " + (error_ ? error_->message : "no reason given"));
  }

 private:
  GError* error_ = nullptr;
};

// Labels as numbers, for collectors that know applications as YAF tells them: silkAppLabel (CERT, 6871/33), mostly the
// well-known port of the protocol, whatever port it was seen on. data/policies/application_labels.csv has them.
inline constexpr const char* kSilkAppLabel = "silkAppLabel";
inline constexpr std::uint16_t kSilkAppLabelNumber = 33;  // of kYafNumber

// Of the first label that has one; 0, as YAF says of what it does not know, if none has. Any thread.
std::uint16_t application_label(const std::vector<std::string_view>& labels);

}  // namespace warpmeter::inline record
