#pragma once

namespace cutaway::views {

// How far a motion has come at the share t of its time, both in 0 to 1: cubic-bezier(0.2, 0, 0, 1).
double eased(double t);

} // namespace cutaway::views
