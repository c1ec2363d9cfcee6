#pragma once

namespace cutaway {

// Of the program; in documents and `--version`.
inline constexpr const char* version = "0.1.0";

} // namespace cutaway
