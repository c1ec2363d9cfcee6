#!/usr/bin/env python3
"""Runs `cutaway verify` and holds its counts against a gate; prints the summary and every case that did not pass.

usage: gate.py CUTAWAY [--min-passed N | --min-share P] [--max-failed N] [--unpack ARCHIVE] -- VERIFY-ARGUMENTS...
"""
import argparse
import json
import os
import subprocess
import sys
import tarfile


def unpack(archive, into):
    done = os.path.join(into, ".unpacked")
    if not os.path.exists(done):
        os.makedirs(into, exist_ok=True)
        with tarfile.open(archive) as tar:
            tar.extractall(into)
        open(done, "w").close()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("cutaway")
    ap.add_argument("--min-passed", type=int, default=0)
    ap.add_argument("--min-share", type=float, default=0.0, help="percent of all cases")
    ap.add_argument("--max-failed", type=int, default=0)
    ap.add_argument("--unpack", nargs=2, metavar=("ARCHIVE", "FOLDER"))
    ap.add_argument("arguments", nargs="+")
    o = ap.parse_args()
    if o.unpack:
        unpack(*o.unpack)
    run = subprocess.run([o.cutaway, "verify", "--json", *o.arguments], stdout=subprocess.PIPE, text=True, check=False)
    result = json.loads(run.stdout)
    bad = [c for c in result["cases"] if c["status"] not in ("passed", "unsupported")]
    rest = [c for c in result["cases"] if c["status"] == "unsupported"]
    for c in bad + rest[:20]:
        print(c["status"], os.path.basename(c["path"]), c["detail"])
    print("{total} cases: {passed} passed, {failed} failed, {unsupported} unsupported".format(**result))
    share = 100.0 * result["passed"] / max(result["total"], 1)
    ok = result["total"] > 0 and result["passed"] >= o.min_passed and share >= o.min_share and len(bad) <= o.max_failed
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
