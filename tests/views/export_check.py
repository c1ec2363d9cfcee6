#!/usr/bin/env python3
"""Figures as a user gets them. usage: export_check.py CUTAWAY MODEL

Draws the arena in every theme and form from a model and from its saved document, and checks that SVG parses, that all
text lies inside the page with its fonts embedded, that both ways give the same picture, and what bad usage answers. The
other views are drawn in every theme from the document, and at its first step. The
views of a run are drawn from the model, which is run first; a document without a run is refused.
"""
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"


def run(*command, code=0):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, f"{command}: exit code {done.returncode}, not {code}: {done.stderr}"
    return done.stderr


def check_svg(path):
    root = ET.fromstring(path.read_text(encoding="utf-8"))
    width, height = float(root.get("width")), float(root.get("height"))
    style = root.find(f"{SVG}defs/{SVG}style").text
    faces = set(re.findall(r'font-family:"([^"]+)";font-weight:(\d+);src:url\(data:font/woff', style))
    texts = list(root.iter(f"{SVG}text"))
    assert texts, f"{path}: no text"
    for t in texts:
        size, x, y = float(t.get("font-size")), float(t.get("x")), float(t.get("y"))
        assert size >= 10, f"{path}: {t.text!r} at {size} px"
        assert (t.get("font-family"), t.get("font-weight")) in faces, f"{path}: the font of {t.text!r} is not embedded"
        room = 0.62 * size * len(t.text)  # more than any line of these fonts takes
        left = {"end": x - room, "middle": x - room / 2}.get(t.get("text-anchor"), x)
        share = 0.8 if len(t.text) < 60 else 0.68  # sentences have more narrow letters; test_views measures exactly
        assert left >= -1 and left + share * room <= width + 1 and size * 0.7 <= y <= height, f"{path}: {t.text!r} leaves the page"


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
