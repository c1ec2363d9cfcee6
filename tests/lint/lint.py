#!/usr/bin/env python3
"""Checks what the design promises of the sources. usage: lint.py [ROOT]

arrow      an #include must follow an arrow of the dependency table (ARROWS, from the design), itself or through others
qt         no Qt in core and app/cli
macro      in core no #define but CUTAWAY_CHECK, the preludes in core/base/prelude, and rows for ops.def and passes.def
once       every header has #pragma once
size       over 500 lines only with "long because ..." in a comment within the first five lines; over 300 is counted
tab        no tab characters in sources
path       no absolute path of somebody's machine in a tracked file

Prints `file:line: rule: what is wrong` for each, then one line of counts; exit code 1 where there is any.
"""
import os
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

# Folder -> folders that it may include. Arrows are transitive.
ARROWS = {
    "core/base": [],
    "core/trace": ["core/base"],
    "core/ir": ["core/base"],
    "core/import": ["core/ir"],
    "core/target": ["core/ir"],
    "core/passes": ["core/target"],
    "core/plan": ["core/target"],
    "core/codegen": ["core/plan"],
    "core/backend": ["core/codegen"],
    "core/runtime": ["core/backend"],
    "core/driver": ["core/trace", "core/import", "core/passes", "core/runtime"],
    "views": ["core/trace"],
    "app/cli": ["core/driver"],
    "app/explorer": ["app/cli", "core/driver", "views"],
}
LAYERED = ("core", "views", "app")
CODE = {".cpp", ".h", ".def"}
SOURCES = CODE | {".py", ".sh", ".cmake"}
TEXTS = SOURCES | {".txt", ".json", ".md", ".cut"}
DATA = ("tests/data/", "resources/")
PRELUDE = "core/base/prelude/"
ROW_TABLES = ("ops.def", "passes.def")
MAX_LINES, WARN_LINES = 500, 300

MACHINE_PATH = re.compile(r"(?<![\w.~$})*-])/(work|root|home)/")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.M)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
QT_HEADER = re.compile(r"^(Q[A-Z]\w*|Qt\w*/.+|q[a-z]+\.h)$")
QT_LINK = re.compile(r"\bQt\d?::\w+|find_package\(\s*Qt\d?\b")
TOKENS = re.compile(
    r'(?P<raw>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")|(?P<comment>//[^\n]*|/\*.*?\*/)'
    r"|\"(?:\\.|[^\"\\\n])*\"|(?<!\w)'(?:\\.|[^'\\\n])+'",
    re.S,
)


def reachable(zone):
    """The folders that `zone` may include: itself and all that its arrows lead to."""
    seen, todo = {zone}, [zone]
    while todo:
        for target in ARROWS[todo.pop()]:
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def zone_of(path):
    """The row of ARROWS that a path inside the tree falls under; None outside of them."""
    return next((zone for zone in ARROWS if path.startswith(zone + "/")), None)


def strip(text):
    """The text without comments and raw strings, its lines kept where they are."""

    def blank(match):
        skipped = match.group("raw") or match.group("comment")
        return "\n" * skipped.count("\n") if skipped else match.group(0)

    return TOKENS.sub(blank, text)


def line_of(text, match):
    return text.count("\n", 0, match.start(1)) + 1


class Tree:
    def __init__(self, root):
        self.root = Path(root).resolve()
        self.files = sorted(f for f in self._list() if (self.root / f).is_file() and not (self.root / f).is_symlink())
        self.present = set(self.files)

    def _list(self):
        """What git tracks or would add; without git, everything but what is built or hidden."""
        git = ["git", "-C", str(self.root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        if (self.root / ".git").exists():
            done = subprocess.run(git, capture_output=True, check=False)
            if done.returncode == 0:
                return {os.fsdecode(name) for name in done.stdout.split(b"\0") if name}
        skip = {".git", "build", "tour", "__pycache__", ".venv"}
        found = set()
        for folder, folders, names in os.walk(self.root):
            folders[:] = [f for f in folders if f not in skip]
            found |= {(Path(folder) / name).relative_to(self.root).as_posix() for name in names}
        return found

    def text(self, path):
        """None for a binary file."""
        data = (self.root / path).read_bytes()
        return None if b"\0" in data else data.decode("utf-8", "replace")

    def resolve(self, path, name):
        """Where an include leads: a path inside the tree, or None. Include roots: its own folder, core, the top."""
        folder = PurePosixPath(path).parent
        for base in (folder, PurePosixPath("core"), PurePosixPath("."), PurePosixPath("app")):
            target = os.path.normpath(base / name)
            if target in self.present:
                return target
        # A file that is not there (yet), or that the build makes: its folder still says what is meant.
        for base in ("core/", "", "app/"):
            if zone_of(base + name):
                return base + name
        return None


def check_includes(tree, path, code):
    zone = zone_of(path)
    if zone is None:
        yield 1, "arrow", f"{PurePosixPath(path).parent} is not a folder of the dependency table"
        return
    allowed = reachable(zone)
    no_qt = zone.startswith("core/") or zone == "app/cli"
    for match in INCLUDE.finditer(code):
        name, line = match.group(2), line_of(code, match)
        if no_qt and QT_HEADER.match(name):
            yield line, "qt", f"{zone} includes {name}"
        target = tree.resolve(path, name)
        if target and (zone_of(target) or target) not in allowed:
            yield line, "arrow", f"{zone} may not include {name} of {zone_of(target) or target}"


def check_macros(path, code):
    if not path.startswith("core/") or path.startswith(PRELUDE):
        return
    for match in DEFINE.finditer(code):
        name = match.group(1)
        rest = code[match.end():]
        table = next((i for i in INCLUDE.finditer(rest) if PurePosixPath(i.group(2)).name in ROW_TABLES), None)
        row = table and re.search(rf"^[ \t]*#[ \t]*undef[ \t]+{name}\b", rest[table.end():], re.M)
        if name != "CUTAWAY_CHECK" and not row and PurePosixPath(path).name not in ROW_TABLES:
            yield line_of(code, match), "macro", f"#define {name} (a function, a constant or a row of a .def table instead)"


def check_size(path, text):
    lines = text.count("\n") + (not text.endswith("\n"))
    head = "\n".join(text.splitlines()[:5])
    if lines > MAX_LINES and not re.search(r"(//|/\*|\*|#).*long because", head):
        yield 1, "size", f"{lines} lines (over {MAX_LINES}; split it, or say 'long because ...' at its head)"


def check_text(path, text):
    kind = PurePosixPath(path).suffix
    if kind in TEXTS and not path.startswith(DATA):
        for number, line in enumerate(text.split("\n"), 1):
            if "\t" in line:
                yield number, "tab", "a tab character"
    for match in MACHINE_PATH.finditer(text):
        yield line_of(text, match), "path", f"an absolute path under /{match.group(1)}"
    if path.startswith(("core/", "app/cli/")) and PurePosixPath(path).name == "CMakeLists.txt":
        for match in QT_LINK.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, "qt", f"{match.group(0)} in {path}"


def check_file(tree, path, text):
    yield from check_text(path, text)
    kind = PurePosixPath(path).suffix
    if kind in SOURCES and not path.startswith(DATA):
        yield from check_size(path, text)
    if kind not in CODE:
        return
    code = strip(text)
    if kind == ".h" and not re.search(r"^[ \t]*#[ \t]*pragma[ \t]+once\b", code, re.M):
        yield 1, "once", "a header without #pragma once"
    if path.split("/")[0] in LAYERED:
        yield from check_includes(tree, path, code)
        yield from check_macros(path, code)


def lint(root):
    """(faults, sources read, sources over WARN_LINES); a fault is (path, line, rule, message)."""
    tree = Tree(root)
    faults, sources, long_files = [], 0, 0
    for path in tree.files:
        text = tree.text(path)
        if text is None:
            continue
        faults += [(path, *fault) for fault in check_file(tree, path, text)]
        if PurePosixPath(path).suffix in SOURCES and not path.startswith(DATA):
            sources += 1
            long_files += text.count("\n") > WARN_LINES
    return faults, sources, long_files


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    faults, sources, long_files = lint(root)
    for path, line, rule, message in faults:
        print(f"{path}:{line}: {rule}: {message}")
    print(f"lint: {sources} sources, {len(faults)} faults, {long_files} over {WARN_LINES} lines")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
