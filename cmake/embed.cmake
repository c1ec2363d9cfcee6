# Writes OUT, a C++ source that holds the text of the embedded math library: the parts listed in PARTS, and those in
# DEVICE_PARTS (comma separated, found in DIR), without comments, includes and blank lines, as raw strings of under 16,000
# characters each.
set(source "// Generated from core/base/prelude by cmake/embed.cmake.\n#include \"base/prelude/prelude.h\"\n\n")
function(embed name parts)
  string(REPLACE "," ";" parts "${parts}")
  string(APPEND source "const char* cutaway::${name}() {\n  return\n")
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
  set(source "${source}" PARENT_SCOPE)
endfunction()
embed(prelude_text "${PARTS}")
embed(device_prelude_text "${DEVICE_PARTS}")
file(WRITE "${OUT}" "${source}")
