#!/usr/bin/env python3
"""Draws every view of real models and checks each file. usage: export_models.py CUTAWAY [--keep DIR] [--views V,...] MODEL...

A row a file: model, view, form, step, size, overlapping labels, seconds, and what is wrong. The graph is drawn at its first
step, in the middle and at its end. Inputs are those of the test_data_set_0 beside the model. Exit code 1 where anything is
wrong.
"""
import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figure_files import Pdf, Png, Svg

VIEWS = ["graph", "arena", "layout", "guards", "tiles", "timeline", "drift", "source"]


def tensor_name(data):
    """The name that a TensorProto gives itself: field 8."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value, shift = value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        size = {0: 0, 1: 8, 5: 4}.get(key & 7)
        if size is None:
            size = varint()
        elif not size:
            varint()
        if key >> 3 == 8:
            return data[at:at + size].decode()
        at += size
    raise ValueError("a tensor without a name")


def inputs(model):
    files = sorted((model.parent / "test_data_set_0").glob("input_*.pb"))
    return [word for file in files for word in ("--input", f"{tensor_name(file.read_bytes())}={file}")]


def export(cutaway, model, view, step, out):
    at = ["--step", str(step)] if step is not None else []
    done = subprocess.run([cutaway, "export", str(model), *inputs(model), "--view", view, *at, "-o", str(out)], capture_output=True, text=True, timeout=600)
    return [(done.stderr.strip() or "no message").splitlines()[-1]] if done.returncode else []


def check(out, page):
    """The faults of a file, and what its row says. `page`: the SVG of the same figure."""
    if out.suffix == ".svg":
        return page.all_faults(), f"{page.width:.0f} x {page.height:.0f} px"
    if out.suffix == ".pdf":
        pdf = Pdf(out)
        return pdf.all_faults(1, page.width, page.height), f"{pdf.fonts} fonts"
    png = Png(out)
    return png.all_faults(page.width, page.height), f"{png.width} x {png.height}"


def draw(cutaway, model, view, step, folder):
    """Prints the rows of one figure; gives the number of faults and the number of steps."""
    name, page, bad = model.parent.name if model.name == "model.onnx" else model.stem, None, 0
    for ending in ("svg", "pdf", "png"):
        out = folder / f"{name}-{view}{'' if step is None else f'-{step}'}.{ending}"
        start = time.monotonic()
        faults, says = export(cutaway, model, view, step, out), ""
        seconds = time.monotonic() - start
        try:
            if not faults:
                page = Svg(out) if ending == "svg" else page
                faults, says = check(out, page) if page else (["no SVG to compare with"], "")
        except (AssertionError, ValueError, KeyError) as fault:
            faults = [str(fault)]
        overlaps = f"{len(page.overlaps()):>3} of {len(page.labels)}" if page and ending == "svg" else ""
        print(f"{name:<14} {view:<9} {ending:<4} {'end' if step is None else step:>5}  {says:<18} {overlaps:<12} {seconds:5.1f} s  {'; '.join(faults[:3]) or 'good'}", flush=True)
        bad += len(faults)
    shown = page.facts.get("Shown", "") if page else ""
    return bad, int(shown.split()[-1]) if shown else 0


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("cutaway")
    words.add_argument("models", nargs="+", type=Path)
    words.add_argument("--keep", type=Path, help="keeps the files in this folder")
    words.add_argument("--views", default=",".join(VIEWS))
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        bad = files = 0
        print("model          view      form  step  size               overlaps      time     faults")
        for model in given.models:
            for view in given.views.split(","):
                faults, steps = draw(given.cutaway, model, view, None, folder)
                bad, files = bad + faults, files + 3
                for step in sorted({0, steps // 2}) if view == "graph" and steps > 1 else []:
                    bad, files = bad + draw(given.cutaway, model, view, step, folder)[0], files + 3
        print(f"{files} files, {bad} faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
