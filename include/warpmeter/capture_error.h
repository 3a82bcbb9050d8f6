// None of the inputs can be read: captures, or files of Flow Records.
#pragma once

#include "warpmeter/public.h"
#include "warpmeter/status.h"

namespace warpmeter {

class WARPMETER_PUBLIC CaptureError : public Error {
 public:
  using Error::Error;
};

}  // namespace warpmeter
