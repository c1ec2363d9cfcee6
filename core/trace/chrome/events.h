#pragma once
#include "base/result.h"
#include "trace/text.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// The events of a trace file as far as a timeline shows them. Internal to the reader.
namespace cutaway::trace::chrome {

// What spans, flows and names share: who says it, and when.
struct Event {
  char phase = 0;
  uint32_t thread = 0; // index into Events::threads
  size_t number = 0;   // its place in the file, for diagnostics
  double ts = 0, dur = 0;
  Text name, id, entity; // entity: of args; empty: none
  int category = -1;     // of args; negative: none
};

struct Thread {
  Text process, thread; // as the file calls them, numbers as text
  Text name, kind;      // empty: not said
};

// What args of process_name say.
struct Process {
  Text name, form;
  bool modelled = false;
  double duration_us = 0;
};

struct Events {
  std::vector<Event> list; // of phase X, B, E, s, t, f
  std::vector<Thread> threads;
  std::map<Text, Process> processes;
};

// Reads the file a piece at a time; what is no event of interest is passed over.
Result<Events> read_events(const std::string& path);

} // namespace cutaway::trace::chrome
