#!/usr/bin/env python3
"""The checks of exported files find what is wrong with them. usage: test_figure_files.py CUTAWAY MODEL"""
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

from figure_files import Pdf, Png, Svg


def main():
    cutaway, model = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        files = {ending: Path(folder) / f"a.{ending}" for ending in ("svg", "pdf", "png")}
        for file in files.values():
            subprocess.run([cutaway, "export", model, "--view", "drift", "-o", str(file)], check=True, capture_output=True)
        page = Svg(files["svg"])
        size = (page.width, page.height)
        assert not page.all_faults() + Pdf(files["pdf"]).all_faults(1, *size) + Png(files["png"]).all_faults(*size)

        whole = files["svg"].read_text(encoding="utf-8")
        word = re.search(r"<text [^>]*>(eager, ulp)</text>", whole)
        for damage, words in ((whole.replace(word[0], word[0] * 2), "overlaps"),
                              (whole.replace(word[0], re.sub(r' x="[^"]*"', ' x="20"', word[0])), "leaves the page"),
                              (whole.replace(word[0], word[0].replace("eager", "\u6f22\u5b57")), "in the font of the file"),
                              (whole.replace(word[0], re.sub(r'font-size="[^"]*"', 'font-size="8"', word[0])), "at 8.0 px"),
                              (re.sub(r"@font-face\{[^}]*\}", "", whole), "is not in the file")):
            files["svg"].write_text(damage, encoding="utf-8")
            faults = Svg(files["svg"]).all_faults(most_overlaps=0)
            assert any(words in f for f in faults), f"{words!r} was not found: {faults}"

        pdf = files["pdf"].read_bytes()
        files["pdf"].write_bytes(pdf.replace(b"/FontFile2", b"/FontFilez"))
        assert any("font" in f for f in Pdf(files["pdf"]).all_faults(1))
        files["pdf"].write_bytes(pdf)
        assert Pdf(files["pdf"]).all_faults(2) and Pdf(files["pdf"]).all_faults(1, size[0] * 2, size[1])

        png = Png(files["png"])
        assert png.all_faults(size[0] * 2, size[1])
        png.rows = b"".join(bytes([y > 0 and 2]) + bytes(png.width * png.bytes_a_pixel) for y in range(png.height))
        assert "blank" in png.all_faults(*size)[0]
        bytes_of_png = bytearray(files["png"].read_bytes())
        bytes_of_png[len(bytes_of_png) // 2] ^= 1
        files["png"].write_bytes(bytes_of_png)
        try:
            Png(files["png"])
        except (AssertionError, zlib.error):
            return
        raise AssertionError("a damaged PNG was taken")


if __name__ == "__main__":
    main()
