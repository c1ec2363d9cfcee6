# Writes OUT, a C++ source that holds the text of the embedded math library: the parts listed in PARTS (comma separated,
# found in DIR) without comments, includes and blank lines, as raw strings of under 16,000 characters each.
string(REPLACE "," ";" parts "${PARTS}")
set(source "// Generated from core/base/prelude by cmake/embed.cmake.\n#include \"base/prelude/prelude.h\"\n\n")
string(APPEND source "const char* cutaway::prelude_text() {\n  return\n")
foreach(part IN LISTS parts)
  file(READ "${DIR}/${part}" text)
  string(REGEX REPLACE "#(pragma once|include [^\n]*)" "" text "${text}")
  string(REGEX REPLACE "//([^@\n][^\n]*)?\n" "\n" text "${text}")
  string(REGEX REPLACE "[ \t]+\\\\\n" "\\\\\n" text "${text}") # the padding before a continuation
  string(REGEX REPLACE "[ \t]+\n" "\n" text "${text}")
  string(REGEX REPLACE "\n[ \t]+" "\n" text "${text}")
  string(REGEX REPLACE "\n\n+" "\n" text "${text}")
  string(REGEX REPLACE "^\n" "" text "${text}")
  string(APPEND source "R\"cw(${text})cw\"\n")
endforeach()
string(APPEND source "  ;\n}\n")
file(WRITE "${OUT}" "${source}")
