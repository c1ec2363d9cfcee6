#include "shell/pass_model.h"

#include "kit/look.h"
#include "kit/marks.h"
#include "kit/numbers.h"

#include <QPainter>

#include <algorithm>

namespace cutaway::views {
namespace {

constexpr int64_t around = 3; // steps shown before and after the present one

// What the step gained, in the pass' own measure.
QString gain(const trace::Trace& t, const trace::Step& step) {
  if (step.refused) return "refused";
  const trace::Metrics before = t.before(step.id), after = step.after;
  const auto signedBytes = [](int64_t d) { return QString(QChar(d < 0 ? 0x2212 : '+')) + byteText(std::abs(d)); };
  if (before.traffic_bytes >= 0 && after.traffic_bytes != before.traffic_bytes) return signedBytes(after.traffic_bytes - before.traffic_bytes);
  if (before.peak_bytes >= 0 && after.peak_bytes != before.peak_bytes) return signedBytes(after.peak_bytes - before.peak_bytes);
  if (before.nodes >= 0 && after.nodes != before.nodes) return QString("%1%2 nodes").arg(QChar(after.nodes < before.nodes ? 0x2212 : '+')).arg(std::abs(after.nodes - before.nodes));
  return {};
}

} // namespace

PassModel::PassModel(Navigator& navigator, QObject* parent) : QAbstractListModel(parent), m_navigator(navigator) {
  connect(&navigator, &Navigator::documentChanged, this, &PassModel::count);
  connect(&navigator, &Navigator::stepChanged, this, &PassModel::rebuild);
  count();
}

void PassModel::count() {
  m_refused.clear();
  if (const trace::Trace* t = m_navigator.place().trace()) {
    m_refused.resize(t->passes().size());
    for (const trace::Step& s : t->steps()) m_refused[s.pass] += s.refused;
  }
  rebuild();
}

void PassModel::rebuild() {
  beginResetModel();
  m_rows.clear(), m_idle = 0;
  if (const trace::Trace* t = m_navigator.place().trace()) {
    for (uint32_t i = 0; i < t->passes().size(); ++i) {
      const trace::Pass& p = t->passes()[i];
      const bool idle = m_refused[i] == p.last - p.first, current = int(i) == m_navigator.pass();
      m_idle += idle;
      if (idle && !m_showIdle && !current) continue;
      m_rows.push_back({Pass, i});
      if (!current) continue;
      const int64_t at = m_navigator.place().step;
      for (int64_t s = std::max<int64_t>(p.first, at - around); s < std::min<int64_t>(p.last, at + around + 1); ++s) m_rows.push_back({Step, uint32_t(s)});
    }
    if (m_idle) m_rows.push_back({More, 0});
  }
  endResetModel();
}

int PassModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid()) return 0;
  return int(m_busy.isEmpty() ? m_rows.size() : size_t(busyRows().size()));
}

QStringList PassModel::busyRows() const { return m_busyDone + QStringList{m_busy}; }

QVariant PassModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() < 0 || index.row() >= rowCount()) return {};
  if (!m_busy.isEmpty()) return busyData(index.row(), role);
  const Row& row = m_rows[size_t(index.row())];
  if (role == KindRole) return row.kind;
  if (row.kind == Pass) return passData(row, role);
  if (row.kind == Step) return stepData(row, role);
  const QString words = m_idle == 1 ? QString("1 pass changed nothing") : QString("%1 passes changed nothing").arg(m_idle);
  switch (role) {
    case Qt::DisplayRole: return words;
    case Qt::AccessibleTextRole: return words + (m_showIdle ? ", hide" : ", show");
    case CountRole: return m_showIdle ? "Hide" : "Show";
    default: return {};
  }
}

QVariant PassModel::passData(const Row& row, int role) const {
  const trace::Trace& t = *m_navigator.place().trace();
  const trace::Pass& p = t.passes()[row.index];
  const uint32_t refused = m_refused[row.index], changed = p.last - p.first - refused;
  const QString note = refused ? QString("%1 refused").arg(number(double(refused))) : p.ms >= 0 ? timeText(p.ms * 1000) : QString();
  switch (role) {
    case Qt::DisplayRole: return qt(p.name);
    case Qt::ToolTipRole: return qt(p.summary);
    case Qt::AccessibleTextRole: return QString("pass %1, %2 changed, %3").arg(qt(p.name)).arg(changed).arg(note);
    case NumberRole: return int(row.index) + 1;
    case NoteRole: return note;
    case CountRole: return number(double(changed));
    case CurrentRole: return int(row.index) == m_navigator.pass();
    default: return {};
  }
}

QVariant PassModel::stepData(const Row& row, int role) const {
  const trace::Trace& t = *m_navigator.place().trace();
  const trace::Step& step = t.steps()[row.index];
  const bool now = row.index == m_navigator.place().step;
  switch (role) {
    case Qt::DisplayRole: return qt(step.title);
    case Qt::ToolTipRole: return qt(step.explanation);
    case Qt::AccessibleTextRole: return QString("step %1, %2, %3%4").arg(row.index + 1).arg(qt(step.title), gain(t, step), now ? ", now" : "");
    case CountRole: return gain(t, step);
    case MarkRole: return int(now ? Glyph::Play : step.refused ? Glyph::Refused : row.index < m_navigator.place().step ? Glyph::Tick : Glyph::None);
    case CurrentRole: return now;
    default: return {};
  }
}

QVariant PassModel::busyData(int row, int role) const {
  const QStringList rows = busyRows();
  const bool last = row + 1 == rows.size();
  switch (role) {
    case KindRole: return Pass;
    case Qt::DisplayRole: return rows[row];
    case Qt::AccessibleTextRole: return last ? QString("pass %1, %2 of %3").arg(rows[row]).arg(m_done).arg(m_total) : "pass " + rows[row] + ", done";
    case NumberRole: return row + 1;
    case CountRole: return last && m_total ? QString("%1 of %2").arg(m_done).arg(m_total) : QString();
    case MarkRole: return int(last ? Glyph::None : Glyph::Tick);
    case CurrentRole: return last;
    case BusyRole: return last ? (m_total ? double(m_done) / m_total : 0.) : -1.;
    default: return {};
  }
}

void PassModel::activate(int row) {
  if (!m_busy.isEmpty() || row < 0 || row >= int(m_rows.size())) return;
  const Row at = m_rows[size_t(row)];
  if (at.kind == More) {
    m_showIdle = !m_showIdle;
    rebuild();
  } else if (at.kind == Step) {
    m_navigator.goTo(at.index);
  } else {
    const trace::Pass& p = m_navigator.place().trace()->passes()[at.index];
    if (p.last > p.first) m_navigator.goTo(p.first);
  }
}

int PassModel::currentRow(bool step) const {
  for (int i = 0; i < int(m_rows.size()); ++i)
    if (m_rows[size_t(i)].kind == (step ? Step : Pass) && data(index(i), CurrentRole).toBool()) return i;
  return -1;
}

void PassModel::setProgress(const QString& pass, int done, int total) {
  if (pass == m_busy && !pass.isEmpty()) {
    m_done = done, m_total = total;
    const QModelIndex at = index(rowCount() - 1);
    emit dataChanged(at, at);
    return;
  }
  beginResetModel();
  if (pass.isEmpty()) m_busyDone.clear();
  else if (!m_busy.isEmpty() && !m_busyDone.contains(m_busy)) m_busyDone << m_busy;
  m_busyDone.removeAll(pass);
  m_busy = pass, m_done = done, m_total = total;
  endResetModel();
}

QSize PassDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const { return {200, index.data(PassModel::KindRole).toInt() == PassModel::Step ? 24 : 28}; }

void PassDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const Theme& t = m_look.theme();
  PainterSheet s(*painter, t);
  s.push(option.rect.topLeft(), nullptr, 1);
  const double w = option.rect.width();
  const QString name = index.data().toString(), count = index.data(PassModel::CountRole).toString();
  const bool now = index.data(PassModel::CurrentRole).toBool();
  switch (index.data(PassModel::KindRole).toInt()) {
    case PassModel::Step: {
      const auto mark = Glyph(index.data(PassModel::MarkRole).toInt());
      const bool refused = mark == Glyph::Refused || count == "refused";
      if (now) s.rect({28, 0, w - 36, 24}, 3, {mix(t.c("accent"), t.c("chrome"), .14)});
      glyph(s, mark, {42, 12}, mark == Glyph::Refused ? "refused" : now ? "accent" : "textMuted", 5.5);
      const Type right{.px = 11, .role = refused ? "refused" : "textSecondary", .anchor = 1};
      s.text({54, 12}, name, {.px = 11, .role = now ? "text" : mark == Glyph::None ? "textMuted" : "textSecondary", .weight = now ? 500 : 400, .room = w - 54 - 24 - s.width(count, right)});
      s.text({w - 16, 12}, count, right);
      break;
    }
    case PassModel::More:
      s.text({16, 14}, name, {.px = 11, .role = "textMuted"});
      s.text({w - 12, 14}, count, {.px = 11, .role = "accent", .weight = 500, .anchor = 1});
      break;
    default: {
      if (now) s.rect({0, 0, w, 28}, 0, {t.c("selection")}), s.rect({0, 0, 3, 28}, 0, {t.c("accent")});
      s.text({14, 14}, index.data(PassModel::NumberRole).toString(), {.px = 11, .role = "textMuted"});
      s.text({36, 14}, name, {.weight = now ? 600 : 400, .room = 88});
      s.text({128, 14}, index.data(PassModel::NoteRole).toString(), {.px = 11, .role = "textMuted"});
      if (Glyph(index.data(PassModel::MarkRole).toInt()) == Glyph::Tick) glyph(s, Glyph::Tick, {w - 18, 14}, "textMuted", 5.5);
      s.text({w - 12, 14}, count, {.weight = now ? 500 : 400, .anchor = 1});
      const QVariant busy = index.data(PassModel::BusyRole);
      if (busy.isValid() && busy.toDouble() >= 0) {
        s.rect({36, 23, w - 60, 3}, 0, {t.c("sunken")});
        s.rect({36, 23, (w - 60) * busy.toDouble(), 3}, 0, {t.c("accent")});
      }
    }
  }
  if (option.state & QStyle::State_HasFocus) s.rect({2, 1, w - 4, option.rect.height() - 2.}, 3, {}, {t.c("accent"), 2});
  s.pop();
}

} // namespace cutaway::views
