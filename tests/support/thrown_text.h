// What the user would read: the message of the Error that a call throws.
#pragma once

#include <string>

#include "warpmeter/status.h"

namespace warpmeter::test {

// "" if nothing was thrown.
template <class Call>
std::string thrown_text(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace warpmeter::test
