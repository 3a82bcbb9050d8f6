# Text files, one behind the other, as a constant of the program: `extern const std::string_view warpmeter::CONSTANT;`.
function(warpmeter_embed_text target constant)
  set(text "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} one)
    string(APPEND text "${one}")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded/${constant}.cc)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [=[
#include <string_view>

namespace warpmeter {
extern const std::string_view @constant@;
const std::string_view @constant@ = R"text(@text@)text";
}  // namespace warpmeter
]=])
  target_sources(${target} PRIVATE ${source})
endfunction()
