// None of the captures can be read.
#pragma once

#include "warpmeter/public.h"
#include "warpmeter/status.h"

namespace warpmeter {

class WARPMETER_PUBLIC CaptureError : public Error {
 public:
  using Error::Error;
};

}  // namespace warpmeter
