#!/usr/bin/env python3
"""Prints what `cutaway bench --json` wrote as a short report. usage: report.py BENCH.json"""
import json
import sys


def times(figure):
    """'1.234 ms (1.200 to 1.500)', or a dash where the mode was not timed."""
    if not figure:
        return "-"
    return f"{figure['median']:.3f} ms (from {figure['min']:.3f} to {figure['max']:.3f})"


def size(count):
    return f"{count / 1048576:.2f} MiB" if count >= 1048576 else f"{count / 1024:.1f} KiB"


def report(bench):
    eager, compiled = bench.get("eager_ms"), bench.get("compiled_ms")
    peak, bound = bench["peak_arena_bytes"], bench["lower_bound_bytes"]
    over = f", {100 * (peak / bound - 1):.1f}% over the bound" if bound else ""
    yield f"device {bench['device']}, {bench['threads']} threads, math={bench['math']}, breaks {bench['breaks']}"
    yield f"compile    {bench['compile_ms']:.1f} ms, first run {bench['first_run_ms']:.2f} ms"
    yield f"kernels    {bench['kernels']}, launches {bench['launches']}"
    yield f"arena      peak {size(peak)}, lower bound {size(bound)}{over}"
    yield f"eager      {times(eager)}"
    yield f"compiled   {times(compiled)}"
    if eager and compiled and compiled["median"] > 0:
        yield f"eager / compiled = {eager['median'] / compiled['median']:.2f}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        print("\n".join(report(json.load(file))))


if __name__ == "__main__":
    main()
