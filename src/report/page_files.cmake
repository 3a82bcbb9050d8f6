# Writes the C++ source that page_files.h tells of: cmake -DOUT=... -DHTML=... -DCSS=... -DJS=... -P page_files.cmake
set(text "#include \"report/page_files.h\"\n\nnamespace warpmeter {\n\n")
foreach(part Html Css Js)
  string(TOUPPER ${part} file)
  file(READ ${${file}} content)
  string(APPEND text "const std::string_view kPage${part} = R\"page(${content})page\";\n\n")
endforeach()
file(WRITE ${OUT} "${text}}  // namespace warpmeter\n")
