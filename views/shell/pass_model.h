#pragma once
#include "place/navigator.h"

#include <QAbstractListModel>
#include <QStyledItemDelegate>

namespace cutaway::views {

class Look;

// The passes as rows; the present one is opened to its steps around the present step. While a compile runs, the rows are
// its progress.
class PassModel : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Kind { Pass, Step, More };
  enum Role { KindRole = Qt::UserRole, NumberRole, NoteRole, CountRole, MarkRole, CurrentRole, BusyRole };
  explicit PassModel(Navigator& navigator, QObject* parent = nullptr);
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

  // What a click does: goes to the pass, to the step, or shows the passes that changed nothing.
  void activate(int row);
  // The row of the present pass, or step where `step`.
  int currentRow(bool step) const;
  // A compile is at this pass; an empty name: none runs.
  void setProgress(const QString& pass, int done, int total);

 private:
  struct Row {
    Kind kind;
    uint32_t index; // of the pass or of the step
  };
  void count();
  void rebuild();
  QVariant passData(const Row& row, int role) const;
  QVariant stepData(const Row& row, int role) const;
  QVariant busyData(int row, int role) const;
  QStringList busyRows() const;

  Navigator& m_navigator;
  std::vector<Row> m_rows;
  std::vector<uint32_t> m_refused; // steps of each pass that are refusals
  int m_idle = 0;
  bool m_showIdle = false;
  QString m_busy;
  QStringList m_busyDone;
  int m_done = 0, m_total = 0;
};

class PassDelegate : public QStyledItemDelegate {
 public:
  PassDelegate(Look& look, QObject* parent) : QStyledItemDelegate(parent), m_look(look) {}
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  Look& m_look;
};

} // namespace cutaway::views
