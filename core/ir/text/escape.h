#pragma once
#include <string>

namespace cutaway::text_form {

// A quoted string: printable ASCII and UTF-8 bytes as they are, quotes and backslashes escaped, control bytes as \xHH.
std::string quote(const std::string& s);

} // namespace cutaway::text_form
