"""Lengths of functions and of files."""

import ast
import re

from .tree import Finding

FUNCTION_LIMIT = 70
FILE_LIMIT = 500
TEST_FILE_LIMIT = 800

SCOPE = re.compile(r"^(?:inline\s+)?(?:namespace\b|extern\s*\")|\b(?:class|struct|union|enum)\b")


def is_python(file):
    return file.path.endswith(".py") or file.text.startswith("#!/usr/bin/env python3")


def file_length(tree):
    for file in tree.files:
        if not (file.is_cxx or is_python(file) or file.path.endswith(".cmake")):
            continue
        limit = TEST_FILE_LIMIT if file.is_test or file.path.endswith("_test.py") else FILE_LIMIT
        count = file.text.count("\n")
        if count > limit:
            yield Finding(file.path, limit + 1, f"the file has {count} lines, the limit is {limit}: "
                          "make it two files, each with one duty")


def function_length(tree):
    for file in tree.files:
        if file.is_cxx:
            spans = cxx_functions(file)
        elif is_python(file):
            spans = python_functions(file)
        else:
            continue
        for first, last, name in spans:
            count = last - first + 1
            if count > FUNCTION_LIMIT:
                yield Finding(file.path, first, f"{name} has {count} lines, the limit is "
                              f"{FUNCTION_LIMIT}: name its parts and make them functions")


def python_functions(file):
    for node in ast.walk(ast.parse(file.text, file.path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno, node.name


def kind_of(head, inside_scope):
    """What an opening brace after `head` (the text since the last statement) opens."""
    if not inside_scope:
        return "block"
    # A default template argument or a base class may hold words that look like a scope.
    bare = re.sub(r"<[^<>()]*>", "", re.sub(r"<[^<>()]*>", "", head)).strip()
    if SCOPE.search(bare.split("(")[0]):
        return "scope"
    if "(" not in bare:
        return "init"
    in_init_list = re.search(r"\)[^()]*:(?!:)", bare)
    return "init" if in_init_list and re.search(r"[\w>]$", bare) else "function"


def cxx_functions(file):
    """(first line, last line, name) of every function body that stands in a scope."""
    code = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: re.sub(r"[^\n]", " ", m[0]), file.code,
                  flags=re.M)
    stack = []
    head_start = 0
    saved = ""
    for match in re.finditer(r"[{};]", code):
        mark = match[0]
        head = saved + code[head_start:match.start()]
        if mark == "{":
            kind = kind_of(head, all(entry[0] == "scope" for entry in stack))
            begin = match.start() - len(head.lstrip()) if not saved else match.start()
            stack.append((kind, begin, head))
            saved = ""
        elif mark == "}" and stack:
            kind, begin, head = stack.pop()
            if kind == "function":
                yield (code.count("\n", 0, begin) + 1, code.count("\n", 0, match.start()) + 1,
                       name_of(head))
            # After `a_{1}` the statement goes on.
            saved = f"{head} {{}}" if kind == "init" else ""
        else:
            saved = ""
        head_start = match.end()


def name_of(head):
    head = re.sub(r"\b(?:requires|noexcept|explicit)\s*\([^()]*\)", "", head)
    match = re.search(r"((?:\w+::)*operator\s*(?:\(\)|[^\s(]+)|[~\w:]+)\s*\(", head)
    return match[1] if match else "a function"
