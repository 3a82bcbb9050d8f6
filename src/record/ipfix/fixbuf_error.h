// Errors of libfixbuf as our own.
#pragma once

#include <fixbuf/public.h>

#include <string>

#include "warpmeter/status.h"

namespace warpmeter::inline record {

// Receives what a call of libfixbuf reports; check() throws Error if it failed.
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

}  // namespace warpmeter::inline record
