#include "explorer/pass_rail.h"

#include "kit/marks.h"
#include "shell/pass_model.h"

#include <QFocusEvent>
#include <QPainter>

namespace cutaway::explorer {
namespace {

// Numbers of passes, the present one filled; marks of steps.
class RailDelegate : public views::PassDelegate {
 public:
  RailDelegate(views::Look& look, QObject* parent) : PassDelegate(look, parent), m_look(look) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    using views::PassModel;
    const views::Theme& t = m_look.theme();
    views::PainterSheet s(*painter, t);
    s.push(option.rect.topLeft(), nullptr, 1);
    const QPointF middle(option.rect.width() / 2., option.rect.height() / 2.);
    const bool now = index.data(PassModel::CurrentRole).toBool();
    if (index.data(PassModel::KindRole).toInt() == PassModel::Pass) {
      if (now) s.rect({middle - QPointF(13, 12), QSizeF(26, 24)}, 4, {t.c("accent")});
      s.text(middle, index.data(PassModel::NumberRole).toString(), {.px = 11, .role = now ? "onAccent" : "textSecondary", .weight = now ? 600 : 400, .anchor = 0});
    } else {
      views::glyph(s, views::Glyph(index.data(PassModel::MarkRole).toInt()), middle, now ? "accent" : "textMuted", 5);
    }
    s.pop();
  }

 private:
  views::Look& m_look;
};

} // namespace

PassRail::PassRail(QListView& full, views::Look& look, QWidget* parent) : QListView(parent), m_full(full) {
  setModel(full.model());
  setSelectionModel(full.selectionModel());
  setItemDelegate(new RailDelegate(look, this));
  setFrameShape(NoFrame), setFixedWidth(width), setAccessibleName("Passes, narrow"), setFocusPolicy(Qt::TabFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff), setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  full.installEventFilter(this);
}

void PassRail::open() {
  QWidget* top = window();
  m_full.setParent(top);
  m_full.setGeometry(QRect(mapTo(top, QPoint()), QSize(264, height())));
  m_full.show(), m_full.raise();
}

void PassRail::close() { m_full.hide(); }

void PassRail::enterEvent(QEnterEvent* event) {
  open();
  QListView::enterEvent(event);
}

void PassRail::focusInEvent(QFocusEvent* event) {
  open();
  m_full.setFocus(event->reason());
}

bool PassRail::eventFilter(QObject* watched, QEvent* event) {
  const bool leaves = event->type() == QEvent::Leave || event->type() == QEvent::FocusOut;
  if (isVisible() && leaves && !m_full.rect().contains(m_full.mapFromGlobal(QCursor::pos()))) close();
  return QListView::eventFilter(watched, event);
}

} // namespace cutaway::explorer
