#!/usr/bin/env python3
"""Each rule of lint.py fires on a small tree made to break it, and keeps quiet on one that does not."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import lint  # noqa: E402

ONCE = "#pragma once\n"
LONG = "int x;\n" * 501


def faults(files):
    """The 'path rule' of each fault in a tree of {path: text}."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            file = Path(root) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return [f"{path} {rule}" for path, _, rule, _ in lint.lint(root)[0]]


class Arrows(unittest.TestCase):
    def test_the_table_has_no_cycle(self):
        for zone in lint.ARROWS:
            for target in lint.ARROWS[zone]:
                self.assertNotIn(zone, lint.reachable(target))

    def test_driver_reaches_all_of_core_and_views_only_trace(self):
        core = {zone for zone in lint.ARROWS if zone.startswith("core/")}
        self.assertEqual(lint.reachable("core/driver"), core)
        self.assertEqual(lint.reachable("views"), {"views", "core/trace", "core/base"})

    def test_an_arrow_may_go_through_others(self):
        for name in ("plan/a.h", "target/a.h", "ir/a.h", "base/a.h"):
            self.assertEqual(faults({"core/codegen/x.cpp": f'#include "{name}"\n', f"core/{name}": ONCE}), [])

    def test_an_arrow_against_the_table(self):
        for where, name in (("core/base/x.cpp", "ir/a.h"), ("core/passes/x.cpp", "plan/a.h"), ("core/ir/x.cpp", "import/a.h"),
                            ("core/runtime/x.cpp", "driver/a.h"), ("core/plan/x.cpp", "trace/a.h"),
                            ("views/graph/x.cpp", "ir/a.h"), ("views/arena/x.cpp", "driver/a.h")):
            self.assertEqual(faults({where: f'#include "{name}"\n', f"core/{name}": ONCE}), [f"{where} arrow"])

    def test_the_folder_says_it_where_the_file_is_missing(self):
        self.assertEqual(faults({"core/base/x.cpp": "#include <driver/gone.h>\n"}), ["core/base/x.cpp arrow"])

    def test_a_way_round_through_dots(self):
        files = {"core/ir/x.cpp": '#include "../plan/a.h"\n', "core/plan/a.h": ONCE}
        self.assertEqual(faults(files), ["core/ir/x.cpp arrow"])

    def test_core_and_views_may_not_include_the_application_or_tests(self):
        files = {"core/driver/x.cpp": '#include "app/cli/a.h"\n', "app/cli/a.h": ONCE}
        self.assertEqual(faults(files), ["core/driver/x.cpp arrow"])
        files = {"views/x.cpp": '#include "tests/support/a.h"\n', "tests/support/a.h": ONCE}
        self.assertEqual(faults(files), ["views/x.cpp arrow"])

    def test_the_application_may_include_what_the_driver_exposes(self):
        files = {"app/cli/x.cpp": '#include "driver/a.h"\n#include "ir/a.h"\n', "core/driver/a.h": ONCE, "core/ir/a.h": ONCE,
                 "app/explorer/y.cpp": '#include "views/v.h"\n#include "cli/b.h"\n#include <QWidget>\n', "views/v.h": ONCE,
                 "app/cli/b.h": ONCE}
        self.assertEqual(faults(files), [])
        files = {"app/cli/x.cpp": '#include "views/v.h"\n', "views/v.h": ONCE}
        self.assertEqual(faults(files), ["app/cli/x.cpp arrow"])

    def test_a_folder_that_is_not_in_the_table(self):
        self.assertEqual(faults({"core/util/x.cpp": ""}), ["core/util/x.cpp arrow"])

    def test_a_name_next_to_the_file_wins(self):
        files = {"core/ir/x.cpp": '#include "print.h"\n', "core/ir/print.h": ONCE, "core/print.h": ONCE}
        self.assertEqual(faults(files), ["core/print.h arrow"])  # itself outside the table; x.cpp is clean

    def test_includes_in_comments_and_raw_strings_do_not_count(self):
        text = '// #include "ir/a.h"\n/*\n#include "ir/a.h"\n*/\nauto s = R"c(\n#include "ir/a.h"\n#define X\n)c"; int n = 1\'000;\n'
        self.assertEqual(faults({"core/base/x.cpp": text, "core/ir/a.h": ONCE}), [])


class Qt(unittest.TestCase):
    def test_includes(self):
        for name in ("QString", "QtWidgets/QWidget", "qglobal.h"):
            for where in ("core/base/x.cpp", "app/cli/x.cpp"):
                self.assertEqual(faults({where: f"#include <{name}>\n"}), [f"{where} qt"])
            self.assertEqual(faults({"views/x.cpp": f"#include <{name}>\n"}), [])
        self.assertEqual(faults({"core/base/x.cpp": "#include <queue>\n"}), [])

    def test_links(self):
        self.assertEqual(faults({"core/CMakeLists.txt": "target_link_libraries(a Qt6::Core)\n"}), ["core/CMakeLists.txt qt"])


class Macros(unittest.TestCase):
    def test_only_the_check(self):
        self.assertEqual(faults({"core/base/check.h": ONCE + "#define CUTAWAY_CHECK(a, b) (a)\n"}), [])
        self.assertEqual(faults({"core/ir/x.cpp": "# define MAX(a, b) a\n"}), ["core/ir/x.cpp macro"])
        self.assertEqual(faults({"tests/ir/x.cpp": "#define MAX(a, b) a\n"}), [])

    def test_preludes(self):
        self.assertEqual(faults({"core/base/prelude/math.h": ONCE + "#define F(a) a\n"}), [])

    def test_rows_of_a_table(self):
        for table in lint.ROW_TABLES:
            text = f'enum class Op {{\n#define OP(name, ...) name,\n#include "ir/{table}"\n#undef OP\n}};\n'
            self.assertEqual(faults({"core/ir/x.cpp": text}), [])
            self.assertEqual(faults({"core/ir/x.cpp": text.replace("#undef OP\n", "")}), ["core/ir/x.cpp macro"])
        text = '#define OP(a) a\n#include "ir/other.def"\n#undef OP\n'
        self.assertEqual(faults({"core/ir/x.cpp": text}), ["core/ir/x.cpp macro"])


class Files(unittest.TestCase):
    def test_pragma_once(self):
        for where in ("core/ir/a.h", "views/a.h", "tests/support/a.h"):
            self.assertEqual(faults({where: "// #pragma once\n"}), [f"{where} once"])

    def test_size(self):
        self.assertEqual(faults({"core/ir/x.cpp": LONG}), ["core/ir/x.cpp size"])
        self.assertEqual(faults({"tests/ir/x.cpp": LONG}), ["tests/ir/x.cpp size"])
        self.assertEqual(faults({"core/ir/x.cpp": "// One table, long because rows belong together.\n" + LONG}), [])
        self.assertEqual(faults({"core/ir/x.cpp": "\n" * 5 + "// long because\n" + LONG}), ["core/ir/x.cpp size"])
        self.assertEqual(faults({"tests/data/x.cpp": LONG}), [])

    def test_long_files_are_counted(self):
        with tempfile.TemporaryDirectory() as root:
            (Path(root) / "x.py").write_text("x = 1\n" * 301, encoding="utf-8")
            self.assertEqual(lint.lint(root), ([], 1, 1))

    def test_tabs(self):
        for where in ("core/ir/x.cpp", "CMakeLists.txt", "packaging/a.sh", "README.md"):
            self.assertEqual(faults({where: "a\n\tb\n"}), [f"{where} tab"])
        self.assertEqual(faults({"tests/data/a.txt": "a\tb\n", "a.tsv": "a\tb\n"}), [])

    def test_machine_paths(self):
        for folder in ("work", "root", "home"):
            for text in (f'"/{folder}/me/x"\n', f"cd /{folder}/x\n", f"file:///{folder}/x\n"):
                self.assertEqual(faults({"README.md": text}), ["README.md path"])
            self.assertEqual(faults({"README.md": f"../{folder}/x a/{folder}/x ${{A}}/{folder}/x\n"}), [])
        self.assertEqual(faults({"a.bin": b"\0/" + b"work/x"}), [])

    def test_ignored_and_built_files_are_left_out(self):
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["git", "init", "-q", root], check=True)
            (Path(root) / ".gitignore").write_text("/out/\n", encoding="utf-8")
            (Path(root) / "out").mkdir()
            (Path(root) / "out/x.cpp").write_text("\t\n", encoding="utf-8")
            (Path(root) / "y.cpp").write_text("\t\n", encoding="utf-8")
            self.assertEqual([path for path, *_ in lint.lint(root)[0]], ["y.cpp"])
        self.assertEqual(faults({"build/dev/x.cpp": "\t\n"}), [])


class Exit(unittest.TestCase):
    def test_code_and_closing_line(self):
        with tempfile.TemporaryDirectory() as root:
            run = [sys.executable, lint.__file__, root]
            (Path(root) / "x.cpp").write_text("int x;\n", encoding="utf-8")
            clean = subprocess.run(run, capture_output=True, text=True, check=False)
            self.assertEqual((clean.returncode, clean.stdout), (0, "lint: 1 sources, 0 faults, 0 over 300 lines\n"))
            (Path(root) / "x.cpp").write_text("\n\tint x;\n", encoding="utf-8")
            broken = subprocess.run(run, capture_output=True, text=True, check=False)
            self.assertEqual(broken.returncode, 1)
            self.assertIn("x.cpp:2: tab: a tab character\n", broken.stdout)


if __name__ == "__main__":
    unittest.main()
