#pragma once
#include "kit/look.h"
#include "place/navigator.h"

#include <QLabel>
#include <QPushButton>
#include <QWidget>

namespace cutaway::views {

class FigureView;

// The numbers of the selected value, asked for by a button: they cost a run.
class TensorPanel : public QWidget {
  Q_OBJECT
 public:
  TensorPanel(Navigator& navigator, Look& look, QWidget* parent = nullptr);
  ~TensorPanel() override;
  const trace::TensorFacts* facts() const { return m_facts.get(); }

 public slots:
  void ask();
  void save();                     // asks for a file name
  void saveAs(const QString& path);

 signals:
  void said(const QString& words);

 private:
  void selectionChanged();
  void refresh();
  void callOff();

  Navigator& m_navigator;
  QLabel* m_words;
  QPushButton *m_ask, *m_save;
  FigureView* m_figure;
  std::shared_ptr<const trace::TensorFacts> m_facts;
  ValueId m_value;
  trace::CallOff m_off;
};

} // namespace cutaway::views
