"""Each rule of tools/tidy: a small tree that must fail, and one that must pass."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

from tidy_rules import RULES, compiled, size  # noqa: E402
from tidy_rules.tree import Source, Tree  # noqa: E402

TIDY = Path(__file__).resolve().parent / "tidy"


class TidyTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="tidy test ")
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)

    def write(self, files):
        for path, text in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)

    def findings(self, rule, files):
        self.write(files)
        return list(RULES[rule](Tree(self.root)))

    def refuses(self, rule, files, path, line, words):
        """Exactly one finding, there, that says this."""
        found = self.findings(rule, files)
        self.assertEqual([(finding.path, finding.line) for finding in found], [(path, line)],
                         [str(finding) for finding in found])
        self.assertIn(words, found[0].what)

    def accepts(self, rule, files):
        self.assertEqual([str(finding) for finding in self.findings(rule, files)], [])


class Arrows(TidyTest):
    def test_an_arrow_to_the_right_is_refused(self):
        self.refuses("arrows", {"src/sync/a.cpp": '#include "sync/a.hpp"\n#include "pool/b.hpp"\n'},
                     "src/sync/a.cpp", 2, "sync includes pool/b.hpp of pool")

    def test_an_arrow_to_the_left_is_accepted(self):
        self.accepts("arrows", {"src/pool/a.cpp": '#include "sync/a.hpp"\n#include "pool/b.hpp"\n'})

    def test_a_room_beside_another_may_not_include_it(self):
        self.refuses("arrows", {"src/cron/a.cpp": '#include "observe/b.hpp"\n'},
                     "src/cron/a.cpp", 1, "cron and observe stand side by side")

    def test_nor_the_other_way_round(self):
        self.refuses("arrows", {"src/observe/a.cpp": '#include "cron/b.hpp"\n'},
                     "src/observe/a.cpp", 1, "cron and observe stand side by side")

    def test_a_test_obeys_the_arrows_too(self):
        self.refuses("arrows", {"src/base/a_test.cpp": '#include "cli/b.hpp"\n'},
                     "src/base/a_test.cpp", 1, "base includes cli/b.hpp")

    def test_a_low_room_may_not_use_a_high_public_header(self):
        self.refuses("arrows", {"src/task/a.cpp": '#include "weir/thread_pool.hpp"\n'},
                     "src/task/a.cpp", 1, "task includes weir/thread_pool.hpp of pool")

    def test_an_installed_header_may_not_show_src(self):
        self.refuses("arrows", {"include/weir/future.hpp": '#include "task/node.hpp"\n'},
                     "include/weir/future.hpp", 1, "installed header")

    def test_an_installed_header_may_not_need_a_library(self):
        self.refuses("arrows", {"include/weir/future.hpp": '#include "nlohmann/json.hpp"\n'},
                     "include/weir/future.hpp", 1, "installed header")

    def test_installed_headers_may_use_one_another(self):
        self.accepts("arrows", {"include/weir/future.hpp":
                                '#include <new>\n#include "weir/detail/sync.hpp"\n'})

    def test_an_include_without_its_room_is_refused(self):
        self.refuses("arrows", {"src/pool/a.cpp": '#include "a.hpp"\n'},
                     "src/pool/a.cpp", 1, "names no room")

    def test_only_a_test_may_use_what_supports_tests(self):
        self.refuses("arrows", {"src/pool/a.cpp": '#include "support/gate.hpp"\n',
                                "src/pool/a_test.cpp": '#include "support/gate.hpp"\n'},
                     "src/pool/a.cpp", 1, "names no room")

    def test_an_unknown_room_is_refused(self):
        self.refuses("arrows", {"src/misc/a.cpp": "int a;\n"}, "src/misc/a.cpp", 1, "is no room")


class Cycles(TidyTest):
    def test_a_circle_is_refused(self):
        self.refuses("cycles", {"include/weir/a.hpp": '#pragma once\n#include "weir/b.hpp"\n',
                                "include/weir/b.hpp": '#pragma once\n\n#include "weir/a.hpp"\n'},
                     "include/weir/b.hpp", 3, "include/weir/a.hpp → include/weir/b.hpp → ")

    def test_the_second_half_of_a_header_may_include_the_first(self):
        self.accepts("cycles", {
            "include/weir/a.hpp": '#pragma once\n#include "weir/detail/a_inline.hpp"\n',
            "include/weir/detail/a_inline.hpp": '#pragma once\n#include "weir/a.hpp"\n'})

    def test_a_diamond_is_accepted(self):
        self.accepts("cycles", {
            "src/base/a.hpp": '#include "base/b.hpp"\n#include "base/c.hpp"\n',
            "src/base/b.hpp": '#include "base/d.hpp"\n',
            "src/base/c.hpp": '#include "base/d.hpp"\n',
            "src/base/d.hpp": "\n"})


class RawNames(TidyTest):
    def test_each_raw_name_is_refused(self):
        for name in ("std::mutex m;", "std::atomic<int> a;", "std::jthread t;", "std::thread t;",
                     "std::condition_variable c;", "syscall(SYS_futex);", "pthread_create(0);",
                     "std::unique_lock l(m);", "std::this_thread::yield();", "#include <atomic>",
                     "std::memory_order_relaxed;", "std::shared_mutex m;", "std::latch l{1};"):
            with self.subTest(name):
                found = self.findings("raw-names", {"src/pool/a.cpp": f"int x;\n{name}\n"})
                self.assertEqual([finding.line for finding in found], [2])

    def test_the_seam_tests_comments_and_strings_may_name_them(self):
        self.accepts("raw-names", {
            "src/sync/a.cpp": "std::atomic<int> a;\n",
            "include/weir/detail/a.hpp": "std::atomic<int> a;\n",
            "src/pool/a_test.cpp": "std::thread t;\n",
            "tests/stress/a.cpp": "std::thread t;\n",
            "src/pool/a.cpp": '// a std::mutex\nauto s = "std::thread"; /* std::atomic */\n'})

    def test_a_stop_token_and_the_signal_mask_are_no_raw_names(self):
        self.accepts("raw-names", {
            "src/pool/a.cpp": "std::stop_token t;\npthread_sigmask(0, 0, 0);\nthread t;\n"})


def body(lines):
    return "\n".join(["  x();"] * lines)


class Lengths(TidyTest):
    def test_a_function_of_71_lines_is_refused(self):
        self.refuses("function-length",
                     {"src/base/a.cpp": f"namespace w {{\n\nint f(int a) {{\n{body(69)}\n}}\n}}\n"},
                     "src/base/a.cpp", 3, "f has 71 lines")

    def test_a_function_of_70_lines_is_accepted(self):
        self.accepts("function-length",
                     {"src/base/a.cpp": f"namespace w {{\nint f(int a) {{\n{body(68)}\n}}\n}}\n"})

    def test_a_long_class_of_short_functions_is_accepted(self):
        members = "\n".join(f"  int f{n}() const noexcept {{ return a_; }}" for n in range(90))
        self.accepts("function-length", {"src/base/a.hpp": f"class c : public b {{\n{members}\n}};\n"})

    def test_a_long_constructor_with_braced_members_is_refused(self):
        self.refuses("function-length", {
            "src/base/a.cpp": f"c::c(int a)\n    : a_{{a}}, b_{{1}} {{\n{body(70)}\n}}\n"},
            "src/base/a.cpp", 2, "c::c has 72 lines")

    def test_a_long_python_function_is_refused(self):
        lines = "\n".join(["    x = 1"] * 70)
        self.refuses("function-length", {"tools/a.py": f"def f():\n{lines}\n"},
                     "tools/a.py", 1, "f has 71 lines")

    def test_a_long_table_is_no_function(self):
        rows = "\n".join(['    {"a", 1},'] * 90)
        self.accepts("function-length",
                     {"src/cli/a.cpp": f"constexpr row k_rows[] = {{\n{rows}\n}};\nint f() {{ }}\n"})

    def test_functions_are_found_behind_templates_and_digits(self):
        self.write({"a.cpp": "template <class T = struct_of<int>>\nrequires(x<T>)\n"
                             "auto f(T a = 1'000) -> int {\n  if (a) { g(); }\n}\n"
                             "struct s {\n  s() : a_{1} { h(); }\n  int a_{0};\n"
                             "  bool operator()(int) const { return '{' == 1; }\n};\n"})
        found = list(size.cxx_functions(Source(self.root, "a.cpp")))
        self.assertEqual([(last, name) for _, last, name in found],
                         [(5, "f"), (7, "s"), (9, "operator()")])

    def test_a_file_of_501_lines_is_refused_and_of_500_accepted(self):
        self.refuses("file-length", {"src/base/a.cpp": "int x;\n" * 501}, "src/base/a.cpp", 501,
                     "the file has 501 lines")
        self.accepts("file-length", {"src/base/a.cpp": "int x;\n" * 500,
                                     "src/base/a_test.cpp": "int x;\n" * 800})
        self.refuses("file-length", {"src/base/a_test.cpp": "int x;\n" * 801},
                     "src/base/a_test.cpp", 801, "the limit is 800")


class Ordering(TidyTest):
    def test_an_order_without_a_tag_is_refused(self):
        self.refuses("ordering", {"src/pool/a.cpp": "int y;\n\nx.store(1, sync::release);\n"},
                     "src/pool/a.cpp", 3, "release without a tag")

    def test_a_tag_alone_is_refused(self):
        self.refuses("ordering", {
            "src/pool/a.cpp": "// ordering: flag  so that b sees it\nx.store(1, seq_cst);\n"},
            "src/pool/a.cpp", 1, "flag stands here alone")

    def test_a_count_of_owners_pairs_with_itself(self):
        self.accepts("ordering", {
            "src/pool/a.cpp": "// ordering: owners  pairs with itself\nx.fetch_sub(1, acq_rel);\n"})
        self.refuses("ordering", {
            "src/pool/a.cpp": "// ordering: owners  pairs with itself\nx.store(1, release);\n"},
            "src/pool/a.cpp", 1, "stands here alone")

    def test_two_releases_are_no_pair(self):
        self.refuses("ordering", {
            "src/pool/a.cpp": "x.store(1, release);  // ordering: flag\n"
                              "x.store(2, release);  // ordering: flag\n"},
            "src/pool/a.cpp", 1, "no access tagged flag observes")

    def test_a_pair_is_accepted_across_files_and_lines(self):
        self.accepts("ordering", {
            "src/pool/a.cpp": "// ordering: flag, word  what b wrote\n// is seen\n"
                              "if (x.compare_exchange_strong(a, b,\n"
                              "                              acq_rel, acquire))\n  f();\n",
            "src/pool/b.cpp": "x.store(1, std::memory_order_release);  // ordering: flag\n"
                              "// ordering: word\ny.store(1, release);\n"})

    def test_a_comment_of_the_statement_before_does_not_count(self):
        self.refuses("ordering", {
            "src/pool/a.cpp": "// ordering: flag\nx.store(1, release);\ny = x.load(acquire);\n"
                              "// ordering: flag\nz = x.load(acquire);\n"},
            "src/pool/a.cpp", 3, "acquire without a tag")

    def test_member_functions_definitions_relaxed_and_tests_need_no_tag(self):
        self.accepts("ordering", {
            "src/pool/a.cpp": "int fd = owner.release();\nint unique_fd::release() { return 1; }\n"
                              "x.store(1, relaxed);\n",
            "include/weir/detail/sync.hpp":
                "inline constexpr std::memory_order acquire = std::memory_order_acquire;\n",
            "src/pool/a_test.cpp": "x.store(1, release);\n"})

    def test_an_unspelt_order_is_refused(self):
        self.refuses("ordering", {
            "src/pool/a.cpp": '#include "weir/detail/sync.hpp"\nint a = x.load();\n'
                              "int b = x.load(relaxed);\n"},
            "src/pool/a.cpp", 2, "load without a memory order")

    def test_a_fence_is_refused(self):
        found = self.findings("ordering", {
            "src/sync/a.cpp": "std::atomic_thread_fence(order);\n"})
        self.assertIn("a fence on its own", found[0].what)


class Text(TidyTest):
    def test_a_header_without_pragma_once_is_refused(self):
        self.refuses("pragma-once", {"src/base/a.hpp": "int x;\n"}, "src/base/a.hpp", 1,
                     "no #pragma once")
        self.accepts("pragma-once", {"src/base/a.hpp": "// what it is\n#pragma once\nint x;\n"})

    def test_tabs_trailing_blanks_and_an_open_end_are_refused(self):
        self.refuses("blanks", {"src/base/a.cpp": "\tint x;\n"}, "src/base/a.cpp", 1, "a tab")
        self.refuses("blanks", {"src/base/a.cpp": "int x; \n"}, "src/base/a.cpp", 1, "blanks")
        self.refuses("blanks", {"src/base/a.cpp": "int x;"}, "src/base/a.cpp", 1, "does not end")
        self.accepts("blanks", {"src/base/a.cpp": "int x;\n", "docs/a.png": "a\t\n"})

    def test_a_listed_word_is_refused_with_its_way_out(self):
        files = {"tools/tidy_words.txt": "# list\n\\bfoo\\b\tsay bar\n", "docs/a.md": "a\nA Foo b\n"}
        self.refuses("words", files, "docs/a.md", 2, "say bar")
        self.accepts("words", {**files, "docs/a.md": "food\n"})

    def test_a_file_that_cmake_names_must_exist_and_modules_be_used(self):
        self.refuses("cmake-files", {"CMakeLists.txt": "# x\nadd(src/cli/main.cpp)\n"},
                     "CMakeLists.txt", 2, "src/cli/main.cpp does not exist")
        self.accepts("cmake-files", {"CMakeLists.txt": "add(src/cli/main.cpp)\n",
                                     "src/cli/main.cpp": "\n"})
        self.refuses("cmake-files", {"cmake/lonely.cmake": "\n"}, "cmake/lonely.cmake", 1,
                     "no CMake file names it")


class Links(TidyTest):
    def test_a_link_to_no_file_is_refused(self):
        self.refuses("links", {"docs/a.md": "x\n\n[b](b.md)\n"}, "docs/a.md", 3, "does not exist")

    def test_a_link_to_no_heading_is_refused(self):
        self.refuses("links", {"docs/a.md": "[b](b.md#two)\n", "docs/b.md": "# One\n"},
                     "docs/a.md", 1, "#two is not in b.md")
        self.refuses("links", {"docs/a.md": "# One\n[b](#two)\n"}, "docs/a.md", 2,
                     "is not in this page")

    def test_good_links_and_code_are_accepted(self):
        self.accepts("links", {
            "docs/a.md": "# One `two`, three\n## Twice\n## Twice\n"
                         "[x](#one-two-three) [y](#twice-1) [z](../b%20c.md#deep) [w](https://a.b/c)\n"
                         "```\n[no](none.md)\n```\n`[no](none.md)` [folder](../docs)\n"
                         "[ref]: ../b%20c.md\n",
            "b c.md": "text\n### Deep\n"})

    def test_a_link_from_the_disks_root_is_refused(self):
        self.refuses("links", {"docs/a.md": "[b](/etc/passwd)\n"}, "docs/a.md", 1, "relative")


class Compiled(TidyTest):
    @unittest.skipUnless(shutil.which(compiled.CLANG_FORMAT), "no clang-format")
    def test_an_unformatted_file_is_refused(self):
        style = {".clang-format": "BasedOnStyle: Google\n"}
        self.refuses("format", {**style, "src/base/a.cpp": "int x;\nint   y;\n"},
                     "src/base/a.cpp", 2, "clang-format-14 -i src/base/a.cpp")
        self.accepts("format", {**style, "src/base/a.cpp": "int x;\nint y;\n"})

    def test_a_header_that_needs_another_first_is_refused(self):
        self.refuses("headers-alone", {"src/base/a.hpp": "#pragma once\n\nstd::string s();\n"},
                     "src/base/a.hpp", 3, "does not compile alone")
        self.accepts("headers-alone",
                     {"src/base/a.hpp": "#pragma once\n#include <string>\nstd::string s();\n"})

    def test_a_change_below_a_header_is_seen_through_the_cache(self):
        self.write({"build/.keep": ""})
        files = {"src/base/a.hpp": '#pragma once\n#include "base/b.hpp"\ninline b c;\n',
                 "src/base/b.hpp": "#pragma once\nusing b = int;\n"}
        self.accepts("headers-alone", files)
        self.assertTrue((self.root / "build/tidy-headers.json").exists())
        self.accepts("headers-alone", files)
        self.refuses("headers-alone", {"src/base/b.hpp": "#pragma once\nusing d = int;\n"},
                     "src/base/a.hpp", 3, "does not compile alone")


class Program(TidyTest):
    def tidy(self, *arguments):
        return subprocess.run([sys.executable, TIDY, "--root", self.root, *arguments],
                              capture_output=True, text=True)

    def test_findings_are_printed_and_fail(self):
        self.write({"src/base/a.hpp": "int x;\n"})
        result = self.tidy("--rule", "pragma-once")
        self.assertEqual(result.returncode, 1)
        self.assertIn("src/base/a.hpp:1: no #pragma once", result.stdout)

    def test_a_clean_tree_passes_silently(self):
        self.write({"src/base/a.hpp": "#pragma once\nint x();\n",
                    ".clang-format": "BasedOnStyle: Google\n"})
        result = self.tidy()
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stdout)

    def test_an_unknown_rule_is_named(self):
        result = self.tidy("--rule", "beauty")
        self.assertEqual(result.returncode, 2)
        self.assertIn("beauty", result.stderr)


if __name__ == "__main__":
    unittest.main()
