"""The house rules that a script can check. tools/tidy runs them all."""

from . import compiled, documents, ordering, rooms, size, text

RULES = {
    "arrows": rooms.arrows,
    "cycles": rooms.cycles,
    "raw-names": rooms.raw_names,
    "function-length": size.function_length,
    "file-length": size.file_length,
    "ordering": ordering.ordering,
    "pragma-once": text.pragma_once,
    "blanks": text.blanks,
    "words": text.words,
    "cmake-files": text.cmake_files,
    "links": documents.links,
    "format": compiled.clang_format,
    "headers-alone": compiled.headers_alone,
}
