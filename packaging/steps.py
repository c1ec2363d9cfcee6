#!/usr/bin/env python3
"""Prints the first steps of a pass as `export --steps` takes them. usage: steps.py DOCUMENT.json PASS COUNT

Of the segment that `export` draws: that with the largest arena. Prints nothing where the pass made no step.
"""
import json
import sys


def main_segment(document):
    """The segment whose arena has the highest peak; the first where none has one."""
    peaks = [-1] * len(document["index"]["traces"])
    for chunk in document["chunks"]:
        for step in chunk["steps"]:
            for at in step.get("panels", []):
                panel = document["panels"][at]
                if panel["kind"] == "arena":
                    trace = chunk.get("trace", 0)
                    peaks[trace] = max(peaks[trace], panel["panel"].get("peak", 0))
    return peaks.index(max(peaks))


def main():
    path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    for entry in document["index"]["traces"][main_segment(document)]["passes"]:
        first, last = entry.get("first", 0), entry.get("last", 0)
        if entry["name"] == name and last > first:
            print(f"{first}..{min(first + count, last) - 1}")


if __name__ == "__main__":
    main()
