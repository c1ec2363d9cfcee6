#include "kit/sequence.h"
#include "kit/svg_sheet.h"

#include <QSet>

#include <algorithm>

namespace cutaway::views {
namespace {

// Nothing here may name an address: the page must work from a disk.
constexpr const char* style = R"(
*{box-sizing:border-box}
body{margin:0;background:var(--canvas);color:var(--text);font:13px/1.4 "Cutaway Sans",sans-serif}
main{max-width:1600px;margin:0 auto;padding:16px}
.stage{position:relative}
.frame{margin:0 0 32px}
.frame svg{display:block;margin:0 auto;max-width:100%;height:auto}
figcaption{max-width:75ch;margin:12px auto 0;white-space:pre-line}
figcaption .at{display:block;font-size:11px;color:var(--muted)}
figcaption b{display:block;font-weight:600}
.bar{display:none;position:sticky;bottom:0;gap:8px;align-items:center;padding:12px 0;background:var(--chrome);border-top:1px solid var(--line)}
.bar input{flex:1;min-width:120px;accent-color:var(--accent)}
.bar button{font:inherit;color:inherit;background:var(--raised);border:1px solid var(--line);border-radius:4px;padding:4px 12px;min-width:64px}
.bar output{min-width:12ch;text-align:right;font-variant-numeric:tabular-nums}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.moves .bar{display:flex}
.moves .frame{display:none;margin:0}
.moves .frame.now{display:block}
.moves .room{display:grid;place-items:center;overflow:auto;width:100%;max-width:var(--w);aspect-ratio:var(--ratio);max-height:calc(100vh - 190px);margin:0 auto}
.moves .room svg{width:var(--share);max-height:calc((100vh - 190px)*var(--tall))}
.moves .whole .room{max-width:none;aspect-ratio:auto;max-height:none;height:calc(100vh - 190px);place-items:start}
.moves .whole .room svg{width:auto;max-width:none;max-height:none;margin:0}
.moves figcaption{min-height:96px}
@keyframes appear{from{opacity:.4}}
@media (prefers-reduced-motion:no-preference){.moves .frame.now svg{animation:appear 120ms}}
@media print{.bar{display:none!important}}
)";

constexpr const char* script = R"(
'use strict';
const frames=[...document.querySelectorAll('.frame')],stage=document.querySelector('.stage');
const slider=document.querySelector('#step'),at=document.querySelector('output');
const [first,prev,play,next,fit]=['first','prev','play','next','fit'].map(id=>document.getElementById(id));
let now=0,timer=0;
function show(i){
  const rooms=frames.map(f=>f.querySelector('.room')),old=rooms[now];
  const x=old.scrollLeft,y=old.scrollTop;
  frames[now].classList.remove('now');
  now=Math.max(0,Math.min(frames.length-1,i));
  frames[now].classList.add('now');
  rooms[now].scrollTo(x,y);
  slider.value=now;
  at.value=frames[now].querySelector('.at').textContent;
  slider.setAttribute('aria-valuetext',at.value);
  prev.disabled=first.disabled=now===0;
  next.disabled=now===frames.length-1;
}
function stop(){clearTimeout(timer);timer=0;play.textContent='Play'}
function go(i){stop();show(i)}
function tick(){
  if(now===frames.length-1)return stop();
  show(now+1);
  timer=setTimeout(tick,now===frames.length-1?+stage.dataset.last:+stage.dataset.hold);
}
function toggle(){
  if(timer)return stop();
  if(now===frames.length-1)show(0);
  play.textContent='Pause';
  timer=setTimeout(tick,+stage.dataset.hold);
}
first.onclick=()=>go(0);prev.onclick=()=>go(now-1);next.onclick=()=>go(now+1);play.onclick=toggle;
fit.onclick=()=>{fit.textContent=stage.classList.toggle('whole')?'Fit':'100 %'};
slider.oninput=()=>go(+slider.value);
addEventListener('keydown',e=>{
  if(e.ctrlKey||e.altKey||e.metaKey)return;
  const to={ArrowLeft:now-1,ArrowRight:now+1,Home:0,End:frames.length-1}[e.key];
  if(to!==undefined)go(to);
  else if(e.key===' '&&e.target.tagName!=='BUTTON')toggle();
  else return;
  e.preventDefault();
});
document.documentElement.classList.add('moves');
show(0);
)";

// Every letter once: 400 frames repeat the same words.
void addLetters(SvgSheet::Letters& all, const QString& file, const QString& text) {
  QString& known = all[file];
  const QList<uint> codes = (known + text).toUcs4();
  QSet<uint> seen(codes.begin(), codes.end());
  QList<uint> sorted(seen.begin(), seen.end());
  std::sort(sorted.begin(), sorted.end());
  QList<char32_t> out(sorted.begin(), sorted.end());
  known = QString::fromUcs4(out.constData(), out.size());
}

QByteArray number(double v) { return QByteArray::number(v, 'g', 6); }

QByteArray frameHtml(const Theme& theme, const Frame& frame, int index, QSizeF stage, SvgSheet::Letters& letters) {
  SvgSheet sheet(theme, frame.figure.size, "f" + QByteArray::number(index) + '-');
  frame.figure.draw(sheet);
  const QByteArray picture = sheet.finish(false);
  for (auto it = sheet.letters().begin(); it != sheet.letters().end(); ++it) addLetters(letters, it.key(), it.value());
  const qsizetype end = frame.caption.indexOf('\n');
  const QString what = end < 0 ? frame.caption : frame.caption.left(end), why = end < 0 ? QString() : frame.caption.mid(end + 1);
  addLetters(letters, SvgSheet::fontFile(400, false), frame.title + why);
  addLetters(letters, SvgSheet::fontFile(600, false), what);
  const QByteArray look = "--share:" + number(100 * frame.figure.size.width() / stage.width()) + "%;--tall:" + number(frame.figure.size.height() / stage.height());
  return "<figure class=\"frame\"><div class=\"room\" style=\"" + look + "\" role=\"img\" aria-label=\"" + markupText(frame.title + ", " + what) + "\">" + picture +
         "</div>\n<figcaption><span class=\"at\">" + markupText(frame.title) + "</span><b>" + markupText(what) + "</b>" + markupText(why) + "</figcaption></figure>\n";
}

QByteArray colours(const Theme& theme) {
  QByteArray out = ":root{";
  for (const auto& [name, role] : {std::pair{"canvas", "canvas"}, {"chrome", "chrome"}, {"raised", "raised"}, {"text", "text"}, {"muted", "textMuted"}, {"line", "line"}, {"accent", "accent"}})
    out += QByteArray("--") + name + ':' + theme.c(role).name().toLatin1() + ';';
  return out + "color-scheme:" + (theme.c("canvas").lightness() < 128 ? "dark" : "light") + '}';
}

} // namespace

QByteArray framesHtml(const Theme& theme, const QList<Frame>& frames, const About& about) {
  QSizeF stage(1, 1);
  for (const Frame& f : frames) stage = stage.expandedTo(f.figure.size);
  SvgSheet::Letters letters;
  addLetters(letters, SvgSheet::fontFile(400, false), "FirstPreviousPlayPauseNextFit100 %");
  QByteArray pictures;
  for (int i = 0; i < frames.size(); ++i) pictures += frameHtml(theme, frames[i], i, stage, letters);

  QByteArray out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; font-src data:\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"generator\" content=\"Cutaway\">\n";
  for (const auto& [name, value] : about.facts) out += "<meta name=\"cutaway:" + markupText(name.toLower()) + "\" content=\"" + markupText(value) + "\">\n";
  out += "<title>" + markupText(about.title) + "</title>\n<style>\n" + SvgSheet::fontFaces(theme, letters) + colours(theme) + style + "</style>\n</head>\n<body>\n<main>\n";
  out += "<div class=\"stage\" data-hold=\"" + number(theme.size("motion", "stepHold")) + "\" data-last=\"" + number(theme.size("motion", "passHold")) + "\" style=\"--w:" + number(stage.width()) +
         "px;--ratio:" + number(stage.width()) + '/' + number(stage.height()) + "\">\n" + pictures + "</div>\n";
  out += "<div class=\"bar\"><button id=\"first\">First</button><button id=\"prev\">Previous</button><button id=\"play\">Play</button><button id=\"next\">Next</button>"
         "<input id=\"step\" type=\"range\" min=\"0\" max=\"" + QByteArray::number(frames.size() - 1) + "\" value=\"0\" step=\"1\" aria-label=\"Step\"><output aria-live=\"polite\"></output>"
         "<button id=\"fit\">100 %</button></div>\n";
  return out + "</main>\n<script>" + script + "</script>\n</body>\n</html>\n";
}

} // namespace cutaway::views
