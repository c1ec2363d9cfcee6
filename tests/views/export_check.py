#!/usr/bin/env python3
"""Figures as a user gets them. usage: export_check.py CUTAWAY MODEL

Draws the arena in every theme and form from a model and from its saved document, and checks that SVG parses, that all
text lies inside the page with its fonts embedded, that both ways give the same picture, and what bad usage answers. The
other views are drawn in every theme from the document, and at its first step. Ranges of steps are drawn as PDF, HTML and
GIF, of a model with hostile names too. The
views of a run are drawn from the model, which is run first; a document without a run is refused.
"""
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

from figure_files import SVG, Pdf, Svg


def run(*command, code=0):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, f"{command}: exit code {done.returncode}, not {code}: {done.stderr}"
    return done.stderr


def check_svg(path):
    page = Svg(path)
    faults = page.all_faults()
    assert not faults, f"{path}: {'; '.join(faults[:5])}"
    return page


class Page(HTMLParser):
    """What an exported page holds."""

    VOID = {"meta", "input", "link", "br", "img"}
    KNOWN = set("html head meta title style body main div figure figcaption span b button input output script "
                "svg defs pattern clippath path rect text g".split())

    def __init__(self, text):
        super().__init__()
        self.open, self.frames, self.words, self.ids, self.controls, self.addresses = [], 0, [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, f"elements left open: {self.open}"

    def handle_starttag(self, tag, attrs):
        assert tag in self.KNOWN, f"an element {tag} that no figure draws"
        if tag not in self.VOID:
            self.open.append(tag)
        self.see(tag, dict(attrs))

    def handle_startendtag(self, tag, attrs):
        assert tag in self.KNOWN, f"an element {tag} that no figure draws"
        self.see(tag, dict(attrs))

    def see(self, tag, attrs):
        self.frames += tag == "svg"
        self.addresses += [v for k, v in attrs.items() if k in ("src", "href", "xlink:href", "action") or k.startswith("on")]
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag in ("input", "button"):
            self.controls.append((tag, attrs.get("type"), attrs.get("id")))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data):
        if self.open and self.open[-1] in ("text", "b", "figcaption"):
            self.words.append(data)


def check_html(path, frames):
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert page.frames == frames == text.count("<figcaption>"), f"{path}: {page.frames} frames, not {frames}"
    assert len(page.ids) == len(set(page.ids)), f"{path}: an id twice"
    assert not page.addresses, f"{path}: {page.addresses}"
    assert ("input", "range", "step") in page.controls and len(page.controls) >= 4, page.controls
    addresses = set(re.findall(r"\w+://[^\"' >]*", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}, f"{path}: {addresses}"
    assert "@import" not in text and set(re.findall(r"url\((.{1,5})", text)) <= {"data:"} | {f"#f{i}-"[:5] for i in range(frames)}, f"{path}: loads something"
    faces = re.findall(r'@font-face\{font-family:"([^"]+)";font-weight:(\d+)', text)
    assert faces and len(faces) == len(set(faces)), f"{path}: fonts {faces}"
    assert "prefers-reduced-motion" in text
    return page


def gif_delays(data):
    """The hold of each frame in hundredths of a second."""
    assert data[:6] == b"GIF89a" and data[-1:] == b";", "not a GIF"
    width, height, flags = struct.unpack("<HHB", data[6:11])
    assert 0 < width <= 1200 and height and b"NETSCAPE2.0\x03\x01\x00\x00\x00" in data
    at, delays, frames = 13 + (3 << ((flags & 7) + 1) if flags & 128 else 0), [], 0

    def skip(at):
        while data[at]:
            at += 1 + data[at]
        return at + 1

    while data[at] != 0x3B:
        if data[at] == 0x21:
            if data[at + 1] == 0xF9:
                delays.append(struct.unpack("<H", data[at + 4:at + 6])[0])
            at = skip(at + 2)
        else:
            assert data[at] == 0x2C, f"no block at {at}"
            x, y, w, h, own = struct.unpack("<HHHHB", data[at + 1:at + 10])
            assert x + w <= width and y + h <= height and not own & 128
            at, frames = skip(at + 11), frames + 1
    assert at == len(data) - 1 and frames == len(delays)
    return delays


def check_pdf(path, pages):
    faults = Pdf(path).all_faults(pages)
    assert not faults, f"{path}: {'; '.join(faults)}"


def check_ranges(cutaway, document, out):
    for view in ("graph", "arena", "source"):
        draw = [cutaway, "export", str(document), "--view", view]
        for ending, theme in (("html", "light"), ("pdf", "paper"), ("gif", "dark")):
            run(*draw, "--steps", "2..6", "--theme", theme, "-o", str(out / f"r.{ending}"))
        check_html(out / "r.html", 5)
        assert gif_delays((out / "r.gif").read_bytes()) == [70] * 4 + [140]
        check_pdf(out / "r.pdf", 5)
        for ending in ("html", "pdf", "gif"):
            assert str(out).encode() not in (out / f"r.{ending}").read_bytes(), f"{view}: the .{ending} holds a path"
    draw = [cutaway, "export", str(document), "--view", "arena"]
    run(*draw, "--step", "3", "-o", str(out / "one.html"))
    check_html(out / "one.html", 1)
    run(*draw, "--step", "3", "-o", str(out / "one.gif"))
    assert gif_delays((out / "one.gif").read_bytes()) == [140]
    run(*draw, "--steps", "2..", "-o", str(out / "all.pdf"))
    for bad in ("6..2", "a..b", "3", "..4", "1..2x", "-1..3", "999999.."):
        assert "--steps" in run(*draw, f"--steps={bad}", "-o", str(out / "b.pdf"), code=2), bad
    for ending in ("svg", "png"):
        assert ".pdf, .html or .gif" in run(*draw, "--steps", "2..3", "-o", str(out / f"b.{ending}"), code=2)
    for bad in (("--size", "10x10"), ("--size", "800"), ("--size", "800x600x3"), ("--width", "9"), ("--width", "-5")):
        assert bad[0] in run(*draw, *bad, "-o", str(out / "b.svg"), code=2)
    run(*draw, "--size", "700x500", "-o", str(out / "b.svg"))
    check_svg(out / "b.svg")
    assert 'width="700" height="500"' in (out / "b.svg").read_text(encoding="utf-8")[:200]


def check_hostile(cutaway, out):
    model = Path(__file__).parent.parent / "data" / "cases" / "export-names-with-quotes-and-unicode" / "model.onnx"
    for view in ("graph", "source"):
        draw = [cutaway, "export", str(model), "--view", view]
        run(*draw, "--steps", "0..3", "-o", str(out / "h.html"))
        words = "".join(check_html(out / "h.html", 4).words)
        assert "<table>" in words or "<b>" in words or view == "source", "a name is not shown as it is"
        run(*draw, "--steps", "0..3", "-o", str(out / "h.pdf"))
        check_pdf(out / "h.pdf", 4)
        run(*draw, "-o", str(out / "h.svg"))
        ET.fromstring((out / "h.svg").read_text(encoding="utf-8"))


def main():
    cutaway, model = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        document = out / "saved.json"
        run(cutaway, "compile", model, "--trace", str(document))
        draw = [cutaway, "export", "--view", "arena"]
        for theme in ("light", "dark", "contrast", "paper"):
            name = out / f"{theme}.svg"
            run(*draw, model, "--theme", theme, "-o", str(name))
            check_svg(name)
            again = out / "again.svg"
            run(*draw, str(document), "--theme", theme, "-o", str(again))
            assert again.read_bytes() == name.read_bytes(), f"{theme}: the saved document draws another picture"
        for mode in ("offsets", "bytes", "intervals"):
            for theme in ("light", "paper"):
                name = out / f"{mode}.svg"
                run(*draw, str(document), "--as", mode, "--theme", theme, "-o", str(name))
                check_svg(name)
            run(*draw, str(document), "--as", mode, "--steps", "2..6", "-o", str(out / f"{mode}.html"))
            check_html(out / f"{mode}.html", 5)
        pictures = {(out / f"{mode}.svg").read_bytes() for mode in ("offsets", "bytes", "intervals")}
        assert len(pictures) == 3 and (out / "offsets.svg").read_bytes() == (out / "paper.svg").read_bytes(), "modes draw the same"
        assert "offsets, bytes, intervals" in run(*draw, str(document), "--as", "cubes", "-o", str(out / "b.svg"), code=3)
        assert "leave --as out" in run(cutaway, "export", str(document), "--view", "tiles", "--as", "cubes", "-o", str(out / "b.svg"), code=3)
        graph = [cutaway, "export", str(document), "--view", "graph"]
        for mode in ("steps", "class"):
            run(*graph, "--as", mode, "-o", str(out / f"graph-{mode}.svg"))
            check_svg(out / f"graph-{mode}.svg")
        assert "contraction" in (out / "graph-class.svg").read_text(), "no legend of classes"
        for view in ("layout", "guards", "tiles", "source"):
            for theme in ("light", "dark", "contrast", "paper"):
                for step in ((), ("--step", "0")):
                    name = out / f"{view}.svg"
                    run(cutaway, "export", "--view", view, str(document), "--theme", theme, *step, "-o", str(name))
                    check_svg(name)
                    if theme == "paper":
                        assert 'width="673"' in name.read_text(encoding="utf-8")[:400], f"{view}: not as wide as a page's text"
        run(*draw, model, "-o", str(out / "a.pdf"))
        assert (out / "a.pdf").read_bytes().startswith(b"%PDF"), "not a PDF"
        run(*draw, model, "-o", str(out / "a.png"))
        assert (out / "a.png").read_bytes().startswith(b"\x89PNG"), "not a PNG"
        assert "light, dark, contrast, paper" in run(*draw, model, "--theme", "pink", "-o", str(out / "b.svg"), code=2)
        facts = ET.fromstring((out / "light.svg").read_text(encoding="utf-8")).find(f"{SVG}desc").text
        assert f"Model: {Path(model).name}" in facts and "Version: " in facts and "/" not in facts.replace("text/", ""), facts
        check_ranges(cutaway, document, out)
        check_hostile(cutaway, out)
        assert ".svg, .pdf or .png" in run(*draw, model, "-o", str(out / "b.txt"), code=2)
        run(*draw, model, "-o", str(out / "none" / "b.svg"), code=2)
        run(cutaway, "export", model, "--view", "telescope", "-o", str(out / "b.svg"), code=3)
        for view in ("timeline", "drift"):
            for theme in ("light", "dark", "contrast", "paper"):
                name = out / f"{view}-{theme}.svg"
                run(cutaway, "export", "--view", view, model, "--theme", theme, "-o", str(name))
                check_svg(name)
            run(cutaway, "export", "--view", view, model, "-o", str(out / f"{view}.pdf"))
            refusal = run(cutaway, "export", "--view", view, str(document), "-o", str(out / "b.svg"), code=3)
            assert "holds no run" in refusal, refusal
        document.write_bytes(document.read_bytes()[:-400])
        assert "invalid-model" in run(*draw, str(document), "-o", str(out / "b.svg"), code=2)


if __name__ == "__main__":
    main()
