#include "layout/window.h"

#include "kit/numbers.h"
#include "place/reading.h"

#include <algorithm>
#include <set>

namespace cutaway::views {
namespace {

constexpr int64_t mostCounted = 1 << 18;

QString attribute(const trace::GraphNode& n, const char* name) {
  for (const trace::Attribute& a : n.attributes)
    if (a.name.view() == name) return qt(a.value);
  return {};
}

QString timesText(const QList<int64_t>& list) {
  QStringList out;
  for (const int64_t x : list) out << number(double(x));
  return out.join(' ' + QString(QChar(0xd7)) + ' ');
}

// A number of some word: "1 run", "3 runs".
QString counted(int64_t count, const char* one) { return QString("%1 %2%3").arg(number(double(count)), one, count == 1 ? "" : "s"); }

// Along the last dims of the value: where the first window stands that needs no padding. False: dilated, or not known.
bool place(const trace::GraphNode& n, Window& out) {
  const auto strides = numberList(attribute(n, "strides")), pads = numberList(attribute(n, "pad_low")), dilations = numberList(attribute(n, "dilations"));
  if (!strides || !pads || !dilations || strides->isEmpty() || strides->size() != pads->size() || strides->size() != dilations->size() || strides->size() > out.extents.size()) return false;
  if (std::any_of(dilations->begin(), dilations->end(), [](int64_t d) { return d != 1; })) return false;
  out.start = QList<int64_t>(out.extents.size(), 0);
  for (qsizetype i = 0; i < strides->size(); ++i) {
    const int64_t step = strides->at(i), pad = pads->at(i);
    if (step < 1 || step > mostCounted || pad < 0 || pad > mostCounted) return false;
    out.start[out.extents.size() - strides->size() + i] = (pad + step - 1) / step * step - pad;
  }
  return true;
}

std::optional<Window> ofConvolution(const trace::GraphDoc& graph, const trace::GraphNode& n, const Walk& walk) {
  const trace::GraphValue* weights = n.inputs.size() > 1 && n.inputs[1].valid() ? graph.values.find(n.inputs[1]) : nullptr;
  const auto w = weights ? numberList(qt(weights->shape)) : std::nullopt;
  if (!w || w->size() != walk.dims.size() || w->size() < 3) return {};
  Window out;
  const QList<int64_t> kernel = w->mid(2);
  out.extents = QList<int64_t>{1, w->at(1)} + kernel;
  out.what = QString("%1 of %2").arg(timesText(kernel), counted(w->at(1), "channel"));
  if (!place(n, out)) return {};
  return out;
}

std::optional<Window> ofPooling(const trace::GraphNode& n, const Walk& walk) {
  const auto kernel = numberList(attribute(n, "window"));
  if (!kernel || kernel->size() != walk.dims.size()) return {};
  Window out;
  out.extents = *kernel;
  QList<int64_t> wide = *kernel;
  wide.removeAll(1);
  out.what = timesText(wide) + " of one channel";
  if (!place(n, out)) return {};
  return out;
}

std::optional<Window> ofProduct(const trace::GraphNode& n, const trace::GraphValue& value, const Walk& walk) {
  if (walk.dims.size() < 2) return {};
  Window out;
  out.start = QList<int64_t>(walk.dims.size(), 0), out.extents = QList<int64_t>(walk.dims.size(), 1);
  const bool left = !n.inputs.empty() && n.inputs[0] == value.id;
  const qsizetype along = left ? walk.dims.size() - 1 : walk.dims.size() - 2;
  out.extents[along] = walk.dims[along];
  out.what = left ? "one row" : "one column";
  return out;
}

} // namespace

bool Window::holds(const Walk& walk, int plane, int row, int column) const {
  const auto inside = [&](int dim, int at) { return dim < 0 || (at >= start[dim] && at < start[dim] + extents[dim]); };
  return inside(walk.planeDim, plane) && inside(walk.rowDim, row) && inside(walk.columnDim, column);
}

QString Window::inMemory(const Walk& walk, int64_t elementBytes) const {
  int64_t count = 1;
  for (const int64_t e : extents) {
    if (e < 1 || e > mostCounted || (count *= e) > mostCounted) return {};
  }
  constexpr int64_t farthest = int64_t{1} << 40; // nothing below overflows
  if (elementBytes > mostCounted || std::any_of(walk.strides.begin(), walk.strides.end(), [](int64_t s) { return s < -farthest || s > farthest; })) return {};
  int64_t from = 0;
  for (qsizetype d = 0; d < extents.size(); ++d) {
    if (start[d] > mostCounted) return {};
    from += start[d] * walk.strides[d];
  }
  std::vector<int64_t> at{from};
  for (qsizetype d = 0; d < extents.size(); ++d) {
    const size_t had = at.size();
    for (int64_t i = 1; i < extents[d]; ++i)
      for (size_t k = 0; k < had; ++k) at.push_back(at[k] + i * walk.strides[d]);
  }
  std::sort(at.begin(), at.end());
  std::set<int64_t> lines;
  int64_t runs = 0;
  for (size_t i = 0; i < at.size(); ++i) {
    runs += i == 0 || at[i] > at[i - 1] + 1;
    lines.insert(at[i] * elementBytes / 64);
  }
  const QString each = count % runs == 0 ? QString(" of %1").arg(counted(count / runs, "element")) : QString(", %1").arg(counted(count, "element"));
  return QString("%1%2, %3").arg(counted(runs, "run"), each, counted(int64_t(lines.size()), "cache line"));
}

bool readsWindows(const trace::GraphNode& node) { return node.op.view() == "conv" || node.op.view() == "reduce_window"; }

std::optional<Window> windowOf(const trace::GraphDoc& graph, const trace::GraphValue& value, const Walk& walk) {
  const trace::GraphNode *reader = nullptr, *maker = producerOf(graph, value.id);
  for (const trace::GraphNode& n : graph.nodes) {
    const bool reads = readsWindows(n) ? !n.inputs.empty() && n.inputs[0] == value.id
                                       : n.op.view() == "dot_general" && std::find(n.inputs.begin(), n.inputs.end(), value.id) != n.inputs.end();
    if (maker && maker->group.valid() && n.group == maker->group) continue; // never in memory for it
    if (reads && (!reader || n.order < reader->order)) reader = &n;
  }
  if (!reader) return {};
  auto out = reader->op.view() == "conv" ? ofConvolution(graph, *reader, walk) : reader->op.view() == "reduce_window" ? ofPooling(*reader, walk) : ofProduct(*reader, value, walk);
  if (!out || out->extents.size() != walk.dims.size()) return {};
  for (qsizetype d = 0; d < walk.dims.size(); ++d)
    if (out->extents[d] > walk.dims[d] || out->start[d] > walk.dims[d] - out->extents[d]) return {};
  out->reader = qt(reader->name);
  return out;
}

} // namespace cutaway::views
