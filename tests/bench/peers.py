#!/usr/bin/env python3
"""Cutaway against other runtimes: same models, same inputs, same threads, in interleaved bursts.

A round is one burst of each engine, in alternating order. Cutaway's burst is `cutaway bench` (another process, its own
median), a peer's is a loop in this one. A burst is dropped where other programs used more of the processors meanwhile
than --quiet allows (from /proc/stat). Printed are the medians over the kept bursts, and the paired ratio: ours over the
peer's in the same round, median, from rounds where both were kept; below 1 Cutaway is faster. Outputs are compared once.

The first run makes a Python environment of its own (build/peers-venv) and the models (build/models); nothing else in
the project needs either. Exit code 1: an output differs, a model did not run, or a ratio is over --limit.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))

PINS = {"numpy": "2.4.6", "onnx": "1.23.2", "onnxruntime": "1.32.0", "openvino": "2026.4.1", "torch": "2.15.0"}
PEERS = {"ort": ("onnxruntime",), "openvino": ("openvino",), "torch": ("torch",)}
# What an unbound dimension of make_models.py's networks is measured at.
DIMS = {
    "resnet50": {"N": 1}, "mobilenetv2": {"N": 1}, "minilm": {"B": 1, "S": 128}, "gpt2": {"B": 1, "S": 64},
    "vit_b16": {"N": 1}, "unet": {"N": 1, "H": 128, "W": 128}, "inception": {"N": 1},
}


def arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--models", default="resnet50,mobilenetv2,minilm,gpt2,vit_b16,unet", help="of " + ",".join(DIMS))
    ap.add_argument("--data", default=os.environ.get("CUTAWAY_DATA", str(TOP.parent / "shared")),
                    help="folder with data/make_models.py (CUTAWAY_DATA, else ../shared)")
    ap.add_argument("--binary", default=str(TOP / "build/release/bin/cutaway"))
    ap.add_argument("--peers", default="ort", help="of " + ",".join(PEERS))
    ap.add_argument("--torch", action="store_true", help="the same as adding torch to --peers (a large download)")
    ap.add_argument("--rounds", type=int, default=9)
    ap.add_argument("--repeat", type=int, default=0, help="runs in a burst; 0: as many as fill --burst seconds")
    ap.add_argument("--burst", type=float, default=1.5, help="seconds")
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--math", default="default", choices=("strict", "default", "fast"))
    ap.add_argument("--quiet", type=float, default=0.15, help="processors that others may use during a burst")
    ap.add_argument("--limit", type=float, help="fail where ours over a peer's is above this")
    ap.add_argument("--json", help="write the figures to this file")
    args = ap.parse_args()
    args.models = args.models.split(",")
    args.peers = [p for p in args.peers.split(",") if p] + (["torch"] if args.torch and "torch" not in args.peers else [])
    for given, known in ((args.models, DIMS), (args.peers, PEERS)):
        if unknown := [name for name in given if name not in known]:
            ap.error(f"unknown: {', '.join(unknown)} (known: {', '.join(known)})")
    return args


# ---- the environment and the models --------------------------------------------------------------------------------
def ensure_environment(peers):
    """Makes build/peers-venv with the pinned packages where it lacks them, and goes on inside it."""
    venv = TOP / "build/peers-venv"
    python, stamp = venv / "bin/python", venv / "installed.json"
    wanted = {p: PINS[p] for p in ("numpy", "onnx", *(package for peer in peers for package in PEERS[peer]))}
    have = json.loads(stamp.read_text()) if stamp.exists() else {}
    if not python.exists():
        print(f"making {venv.relative_to(TOP)}", file=sys.stderr)
        if subprocess.run([sys.executable, "-m", "venv", str(venv)], check=False).returncode:
            sys.exit("peers: cannot make a virtual environment (on Debian: apt-get install python3-venv)")
    if new := [f"{p}=={v}" for p, v in wanted.items() if have.get(p) != v]:
        print(f"installing {' '.join(new)}", file=sys.stderr)
        if subprocess.run([str(python), "-m", "pip", "install", "-q", *new], check=False).returncode:
            sys.exit(f"peers: pip could not install {' '.join(new)} (network? a Python that has no such wheel?)")
        stamp.write_text(json.dumps(have | wanted))
    if Path(sys.prefix).resolve() != venv.resolve():
        os.execv(python, [str(python), "-B", *sys.argv])


def ensure_model(name, data):
    model = TOP / "build/models" / name / "model.onnx"
    if not model.exists():
        maker = Path(data) / "data/make_models.py"
        if not maker.exists():
            sys.exit(f"peers: {maker} is not there (give --data or set CUTAWAY_DATA)")
        subprocess.run([sys.executable, "-B", str(maker), str(model.parent.parent), "--models", name], check=True, stdout=sys.stderr)
    return model


# ---- figures -------------------------------------------------------------------------------------------------------
def median(values):
    return statistics.median(values) if values else None


def paired_ratio(ours, theirs):
    """Median of ours over theirs, from the rounds where both were kept (None: dropped)."""
    return median([a / b for a, b in zip(ours, theirs) if a is not None and b is not None])


def busy_seconds():
    """Seconds that all processors have spent on anything, steal included; None without /proc."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    user, nice, system, _, _, irq, softirq, steal = (int(f) for f in fields[:8])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    t = os.times()
    return t.user + t.system + t.children_user + t.children_system


def watched(work):
    """(what work returned, processors that others used meanwhile)."""
    busy, own, start = busy_seconds(), own_seconds(), time.monotonic()
    result = work()
    wall = time.monotonic() - start
    if busy is None:
        return result, 0.0
    return result, max(0.0, (busy_seconds() - busy - (own_seconds() - own)) / wall)


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


# ---- ours ----------------------------------------------------------------------------------------------------------
class Cutaway:
    name = "cutaway"

    def __init__(self, args, model, feeds, dims):
        import numpy as np
        self.binary, self.model, self.folder = args.binary, str(model), model.parent / "peers"
        self.folder.mkdir(exist_ok=True)
        self.options = ["--threads", str(args.threads), "--set", f"math={args.math}"]
        for key, value in dims.items():
            self.options += ["--dim", f"{key}={value}"]
        for key, array in feeds.items():
            file = self.folder / f"in_{key}.npy"
            np.save(file, array)
            self.options += ["--input", f"{key}={file}"]
        self.last = {}

    def _verb(self, verb, *options):
        done = subprocess.run([self.binary, verb, self.model, *self.options, *options, "--json"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"cutaway {verb} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
        return json.loads(done.stdout)

    def burst(self, repeat):
        self.last = self._verb("bench", "--mode", "compiled", "--repeat", str(repeat))
        return self.last["compiled_ms"]["median"]

    def outputs(self):
        """Name -> array, by one compiled run."""
        import numpy as np
        folder = self.folder / "out"
        for old in folder.glob("*.npy"):
            old.unlink()
        self._verb("run", "--mode", "compiled", "--output-dir", str(folder))
        return {file.stem: np.load(file) for file in sorted(folder.glob("*.npy"))}


def difference(ours, theirs):
    """Largest difference over the largest value, over all outputs; None where names or shapes do not match."""
    import numpy as np
    worst = 0.0
    for name, want in theirs.items():
        got = ours.get(name)
        if got is None or got.shape != want.shape or not np.isfinite(got).all():
            return None
        if want.size:
            worst = max(worst, float(np.abs(got - want).max() / max(np.abs(want).max(), 1e-30)))
    return worst


# ---- rounds --------------------------------------------------------------------------------------------------------
def measure(engines, repeat, rounds, quiet):
    """Name -> one median (or None: dropped) a round, in ms."""
    kept = {e.name: [] for e in engines}
    for number in range(rounds):
        for engine in engines if number % 2 == 0 else engines[::-1]:
            value, others = watched(lambda e=engine: e.burst(repeat))
            kept[engine.name].append(value if others <= quiet else None)
    return kept


def bench_model(name, args):
    from engines import make_feeds, make_peer
    model = ensure_model(name, args.data)
    feeds = make_feeds(model, DIMS[name])
    peers = [make_peer(p, model, feeds, args.threads) for p in args.peers]
    ours = Cutaway(args, model, feeds, DIMS[name])
    worst = difference(ours.outputs(), peers[0].outputs())
    repeat = args.repeat or min(200, max(5, round(args.burst * 1000 / peers[0].burst(3))))
    bursts = measure([ours, *peers], repeat, args.rounds, args.quiet)
    row = {
        "model": name, "dims": DIMS[name], "repeat": repeat, "rounds": args.rounds, "bursts_ms": bursts,
        "median_ms": {n: median([v for v in b if v is not None]) for n, b in bursts.items()},
        "best_ms": {n: min((v for v in b if v is not None), default=None) for n, b in bursts.items()},
        "dropped": {n: b.count(None) for n, b in bursts.items()},
        "ratio": {p.name: paired_ratio(bursts["cutaway"], bursts[p.name]) for p in peers},
        "difference": worst, "agrees": worst is not None and worst <= 1e-3,
        "cutaway": {k: ours.last.get(k) for k in ("compile_ms", "first_run_ms", "peak_arena_bytes", "kernels", "launches", "breaks")},
    }
    row["ok"] = row["agrees"] and (args.limit is None or all(r is not None and r <= args.limit for r in row["ratio"].values()))
    return row


def show(row):
    def figure(value, form):
        return format(value, form) if value is not None else "-"
    print(f"{row['model']}  {row['repeat']} runs a burst, {row['rounds']} rounds")
    for name, value in row["median_ms"].items():
        line = f"  {name:<14} median {figure(value, '8.2f')} ms, best {figure(row['best_ms'][name], '8.2f')}, {row['dropped'][name]} dropped"
        ratio = row["ratio"].get(name, row)
        print(line + (f", ours / this {figure(ratio, '.3f')}" if ratio is not row else ""))
    print(f"  outputs {'agree' if row['agrees'] else 'DIFFER'} (largest difference {figure(row['difference'], '.1e')} of the largest value)", flush=True)


def main():
    args = arguments()
    if not os.access(args.binary, os.X_OK):
        sys.exit(f"peers: {args.binary} is not there (cmake --preset release && cmake --build --preset release)")
    ensure_environment(args.peers)
    from engines import measured_peak
    report = {"processor": processor(), "cores": os.cpu_count(), "peak_gflops": measured_peak(TOP / "build/peers-venv", args.threads),
              "threads": args.threads, "math": args.math, "quiet": args.quiet,
              "versions": {p: PINS[p] for peer in args.peers for p in PEERS[peer]}, "models": []}
    peak = report["peak_gflops"]
    told = f"measured peak {peak['one']:.0f} GFLOP/s on one thread, {peak['all']:.0f} on {args.threads}" if peak else "peak not measured (no C compiler)"
    print(f"{report['processor']}, {report['cores']} cores, {told}; float32, {args.threads} threads, math={args.math}", flush=True)
    for name in args.models:
        try:
            row = bench_model(name, args)
            show(row)
        except RuntimeError as error:
            row = {"model": name, "ok": False, "error": str(error)}
            print(f"{name}  not measured: {error}", flush=True)
        report["models"].append(row)
    if args.json:
        Path(args.json).write_text(json.dumps(report, indent=1) + "\n")
    return 0 if all(row["ok"] for row in report["models"]) else 1


if __name__ == "__main__":
    sys.exit(main())
