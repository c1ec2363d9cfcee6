#include "graph/dot.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

#include <algorithm>

namespace cutaway::views {
namespace {

QByteArray inches(double px) { return QByteArray::number(px / 72, 'f', 4); }

// "x,y" or "e,x,y x,y ...": points in dot's units, y upward.
QPolygonF points(const QString& text, double height) {
  QPolygonF out;
  for (const QString& part : text.split(' ', Qt::SkipEmptyParts)) {
    const QStringList xy = part.split(',');
    if (xy.size() == 2) out << QPointF(xy[0].toDouble(), height - xy[1].toDouble());
  }
  return out;
}

} // namespace

QByteArray dotText(const DotInput& in) {
  QByteArray out = "digraph{nslimit=2;nslimit1=2;ranksep=" + inches(rankGap) + ";nodesep=" + inches(siblingGap) +
                   ";node[shape=box,fixedsize=true,label=\"\"];edge[arrowhead=none];";
  for (size_t i = 0; i < in.nodes.size(); ++i)
    out += QByteArray::number(i) + "[width=" + inches(in.nodes[i].width()) + ",height=" + inches(in.nodes[i].height()) + "];";
  for (const auto& [rank, nodes] : {std::pair{"source", &in.sources}, {"sink", &in.sinks}, {"min", &in.tops}}) {
    if (nodes->empty()) continue;
    out += QByteArray("{rank=") + rank + ";";
    for (const int n : *nodes) out += QByteArray::number(n) + ";";
    out += "}";
  }
  for (size_t i = 0; i < in.edges.size(); ++i) {
    const DotEdge& e = in.edges[i];
    out += QByteArray::number(e.from) + "->" + QByteArray::number(e.to) + "[id=" + QByteArray::number(i);
    if (!e.label.isEmpty())
      out += ",label=<<TABLE BORDER=\"0\" CELLPADDING=\"0\" CELLSPACING=\"0\" FIXEDSIZE=\"TRUE\" WIDTH=\"" + QByteArray::number(qRound(e.label.width())) +
             "\" HEIGHT=\"" + QByteArray::number(qRound(e.label.height())) + "\"><TR><TD></TD></TR></TABLE>>";
    out += "];";
  }
  return out + "}\n";
}

std::optional<DotResult> parseDot(const QByteArray& json, const DotInput& in) {
  const QJsonObject root = QJsonDocument::fromJson(json).object();
  const QStringList box = root["bb"].toString().split(',');
  if (box.size() != 4) return {};
  DotResult out;
  out.size = {box[2].toDouble(), box[3].toDouble()};
  const double height = out.size.height();
  out.nodes.resize(in.nodes.size()), out.edges.resize(in.edges.size()), out.labels.resize(in.edges.size());
  size_t seen = 0;
  for (const QJsonValue value : root["objects"].toArray()) {
    const QJsonObject o = value.toObject();
    bool number = false;
    const int id = o["name"].toString().toInt(&number);
    const QPolygonF at = points(o["pos"].toString(), height);
    if (!number || id < 0 || id >= int(in.nodes.size()) || at.size() != 1) continue; // a rank's subgraph
    out.nodes[size_t(id)] = at[0], ++seen;
  }
  const QJsonArray edges = root["edges"].toArray(); // in an order of dot's own
  if (seen != in.nodes.size() || edges.size() != qsizetype(in.edges.size())) return {};
  for (const QJsonValue value : edges) {
    const QJsonObject o = value.toObject();
    bool number = false;
    const int id = o["id"].toString().toInt(&number);
    if (!number || id < 0 || id >= int(in.edges.size())) return {};
    out.edges[size_t(id)] = points(o["pos"].toString(), height);
    if (const QPolygonF at = points(o["lp"].toString(), height); at.size() == 1) out.labels[size_t(id)] = at[0];
  }
  return out;
}

DotResult plainLayers(const DotInput& in) {
  const size_t count = in.nodes.size();
  std::vector<int> rank(count, 0);
  // Edges mostly lead forward, so few rounds settle it; a cycle ends with the rounds.
  for (int round = 0, moved = 1; moved && round < 64; ++round) {
    moved = 0;
    for (const DotEdge& e : in.edges)
      if (e.from != e.to && rank[size_t(e.to)] <= rank[size_t(e.from)] && rank[size_t(e.from)] < int(count))
        rank[size_t(e.to)] = rank[size_t(e.from)] + 1, moved = 1;
  }
  const int last = count ? *std::max_element(rank.begin(), rank.end()) : 0;
  for (const int n : in.sources) rank[size_t(n)] = -1;
  for (const int n : in.tops) rank[size_t(n)] = 0;
  for (const int n : in.sinks) rank[size_t(n)] = last + 1;
  DotResult out;
  out.exact = false;
  out.nodes.resize(count), out.edges.resize(in.edges.size()), out.labels.resize(in.edges.size());
  double y = 0, widest = 0;
  for (int r = -1; r <= last + 1; ++r) {
    double x = 0, high = 0;
    for (size_t i = 0; i < count; ++i)
      if (rank[i] == r) high = std::max(high, in.nodes[i].height());
    bool any = false;
    for (size_t i = 0; i < count; ++i)
      if (rank[i] == r) {
        out.nodes[i] = {x + in.nodes[i].width() / 2, y + high / 2};
        x += in.nodes[i].width() + siblingGap + 90, any = true;
      }
    widest = std::max(widest, x);
    if (any) y += high + 2 * rankGap + 30;
  }
  out.size = {widest, y};
  for (size_t i = 0; i < in.edges.size(); ++i) {
    const QPointF a = out.nodes[size_t(in.edges[i].from)], b = out.nodes[size_t(in.edges[i].to)];
    const QPointF low(a.x(), b.y() - in.nodes[size_t(in.edges[i].to)].height() / 2 - 30);
    out.edges[i] = {a, a, low, b};
    out.labels[i] = {b.x() + in.edges[i].label.width() / 2, low.y()};
  }
  return out;
}

std::vector<DotResult> runDot(const std::vector<DotQuestion>& questions, int ms) {
  QProcess dot;
  QByteArray answers;
  dot.start("dot", {"-Tjson"});
  if (dot.waitForStarted(ms)) {
    for (const DotQuestion& q : questions) dot.write(q.text);
    dot.closeWriteChannel();
    if (!dot.waitForFinished(ms)) {
      dot.kill();
      dot.waitForFinished(100);
    }
    answers = dot.readAllStandardOutput();
  }
  std::vector<DotResult> out;
  qsizetype from = 0;
  for (const DotQuestion& q : questions) {
    const qsizetype end = answers.indexOf(dotEnd, from);
    auto result = end < 0 ? std::nullopt : parseDot(answers.mid(from, end + 3 - from), q.input);
    if (end >= 0) from = end + 3;
    out.push_back(result ? std::move(*result) : plainLayers(q.input));
  }
  return out;
}

} // namespace cutaway::views
