#!/usr/bin/env python3
"""Prints how the code is built, by the compiler's index: the types with many members, and the largest set of files of each module
that refer to each other in a circle (a knot).

usage: house.py [BUILD]       BUILD is the folder of a debug build, by default .build/debug; `swift build` fills its index.

A member is a function, a property, an initializer or a subscript of a type or of its extensions, in all modules under Sources. A file
refers to another one when it names a symbol that the other one defines. With `--check`, the exit code is 1 when a type has more than
40 members in more than 8 files, or a knot has 40 files or more, and is not named with its reason in `house.txt` beside this script."""
import collections, ctypes, os, sys

MEMBERS_ALLOWED, FILES_ALLOWED, KNOT_ALLOWED = 40, 8, 39
DEFINITION, REFERENCE, CHILD_OF, EXTENDED_BY = 1 << 1, 1 << 2, 1 << 9, 1 << 14
ENUM, STRUCT, CLASS, PROTOCOL, EXTENSION = 5, 6, 7, 8, 9
FUNCTIONS, PROPERTIES, INITIALIZER = {16, 17, 18}, {19, 20, 21}, 22
ACCESSORS = {1000, 1001, 1002, 1003, 1004, 1005, 1006}


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_char)), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


def library():
    """libIndexStore of the toolchain, with the types of the functions that this script calls."""
    swift = os.path.realpath(next(os.path.join(p, "swift") for p in os.environ["PATH"].split(":") if os.path.exists(os.path.join(p, "swift"))))
    lib = ctypes.CDLL(os.path.join(os.path.dirname(os.path.dirname(swift)), "lib", "libIndexStore.so"))
    pointer = ctypes.c_void_p
    for name, result, arguments in [
        ("store_create", pointer, [ctypes.c_char_p, pointer]),
        ("store_units_apply_f", ctypes.c_bool, [pointer, ctypes.c_uint, pointer, pointer]),
        ("unit_reader_create", pointer, [pointer, ctypes.c_char_p, pointer]),
        ("unit_reader_dispose", None, [pointer]),
        ("unit_reader_get_main_file", Text, [pointer]),
        ("unit_reader_get_module_name", Text, [pointer]),
        ("unit_reader_get_modification_time", None, [pointer, pointer, pointer]),
        ("unit_reader_dependencies_apply_f", ctypes.c_bool, [pointer, pointer, pointer]),
        ("unit_dependency_get_kind", ctypes.c_int, [pointer]),
        ("unit_dependency_get_name", Text, [pointer]),
        ("unit_dependency_get_filepath", Text, [pointer]),
        ("record_reader_create", pointer, [pointer, ctypes.c_char_p, pointer]),
        ("record_reader_dispose", None, [pointer]),
        ("record_reader_occurrences_apply_f", ctypes.c_bool, [pointer, pointer, pointer]),
        ("occurrence_get_symbol", pointer, [pointer]),
        ("occurrence_get_roles", ctypes.c_uint64, [pointer]),
        ("occurrence_relations_apply_f", ctypes.c_bool, [pointer, pointer, pointer]),
        ("symbol_relation_get_roles", ctypes.c_uint64, [pointer]),
        ("symbol_relation_get_symbol", pointer, [pointer]),
        ("symbol_get_kind", ctypes.c_int, [pointer]),
        ("symbol_get_subkind", ctypes.c_int, [pointer]),
        ("symbol_get_name", Text, [pointer]),
        ("symbol_get_usr", Text, [pointer]),
    ]:
        function = getattr(lib, "indexstore_" + name)
        function.restype, function.argtypes = result, arguments
    return lib


lib = library()
Each = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
EachName = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, Text)


def collect(apply, holder, callback=Each):
    """Calls a function of the library that walks a list, and gives a list of what `take` made of each element."""
    def run(take):
        found = []
        visit = callback(lambda _, element: found.append(take(element)) or True)
        apply(holder, None, visit)
        return found
    return run


def units(store, root):
    """The newest unit of each Swift file below the folder `root`: the file, its module, and its record."""
    names = []
    visit = EachName(lambda _, name: names.append(str(name)) or True)
    lib.indexstore_store_units_apply_f(store, 0, None, visit)
    newest = {}
    for name in names:
        unit = lib.indexstore_unit_reader_create(store, name.encode(), None)
        if not unit:
            continue
        file, module = str(lib.indexstore_unit_reader_get_main_file(unit)), str(lib.indexstore_unit_reader_get_module_name(unit))
        if file.startswith(root) and file.endswith(".swift") and os.path.exists(file):
            seconds, nanoseconds = ctypes.c_int64(), ctypes.c_int64()
            lib.indexstore_unit_reader_get_modification_time(unit, ctypes.byref(seconds), ctypes.byref(nanoseconds))
            records = collect(lib.indexstore_unit_reader_dependencies_apply_f, unit)(
                lambda d: (lib.indexstore_unit_dependency_get_kind(d), str(lib.indexstore_unit_dependency_get_filepath(d)),
                           str(lib.indexstore_unit_dependency_get_name(d))))
            record = next((name for kind, path, name in records if kind == 2 and path == file), None)
            time = (seconds.value, nanoseconds.value)
            if record and (file not in newest or newest[file][0] < time):
                newest[file] = (time, module, record)
        lib.indexstore_unit_reader_dispose(unit)
    return {file: (module, record) for file, (_, module, record) in newest.items()}


def occurrences(store, record):
    """The occurrences of a record: kind, subkind, name, identifier, roles, and relations (roles, kind, identifier)."""
    reader = lib.indexstore_record_reader_create(store, record.encode(), None)

    def relation(r):
        symbol = lib.indexstore_symbol_relation_get_symbol(r)
        return (lib.indexstore_symbol_relation_get_roles(r), lib.indexstore_symbol_get_kind(symbol), str(lib.indexstore_symbol_get_usr(symbol)))

    def occurrence(o):
        symbol = lib.indexstore_occurrence_get_symbol(o)
        return (lib.indexstore_symbol_get_kind(symbol), lib.indexstore_symbol_get_subkind(symbol), str(lib.indexstore_symbol_get_name(symbol)),
                str(lib.indexstore_symbol_get_usr(symbol)), lib.indexstore_occurrence_get_roles(o),
                collect(lib.indexstore_occurrence_relations_apply_f, o)(relation))
    found = collect(lib.indexstore_record_reader_occurrences_apply_f, reader)(occurrence)
    lib.indexstore_record_reader_dispose(reader)
    return found


def circles(graph):
    """The sets of nodes that reach each other, the largest first (Tarjan, without recursion)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, edges = work[-1]
            for other in edges:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(graph[other])))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    circle = []
                    while True:
                        other = stack.pop()
                        on_stack.discard(other)
                        circle.append(other)
                        if other == node:
                            break
                    found.append(circle)
    return sorted(found, key=len, reverse=True)


def main():
    check = "--check" in sys.argv
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    build = os.path.realpath(arguments[0] if arguments else ".build/debug")
    root = os.path.realpath("Sources") + "/"
    store = lib.indexstore_store_create(os.path.join(build, "index/store").encode(), None)
    if not store:
        sys.exit(f"There is no index in {build}/index/store. Run 'swift build' first.")
    files = units(store, root)
    if not files:
        sys.exit(f"The index in {build} has no files of {root}. Run 'swift build' in this folder first.")
    types, extended, members, defined, named = {}, {}, collections.defaultdict(set), {}, collections.defaultdict(set)
    for file, (_, record) in files.items():
        for kind, subkind, name, usr, roles, relations in occurrences(store, record):
            for relation, _, other in relations:
                if relation & EXTENDED_BY:
                    extended[other] = usr
            if roles & DEFINITION:
                if kind != EXTENSION:
                    defined[usr] = file
                if kind in (ENUM, STRUCT, CLASS, PROTOCOL):
                    types[usr] = name
                if (kind in FUNCTIONS and subkind not in ACCESSORS) or kind in PROPERTIES or kind == INITIALIZER:
                    for relation, _, other in relations:
                        if relation & CHILD_OF:
                            members[other].add((usr, file))
            elif roles & REFERENCE:
                named[file].add(usr)
    of_type = collections.defaultdict(set)
    for owner, found in members.items():
        of_type[extended.get(owner, owner)] |= found
    allowed = dict(line.split(": ", 1) for line in open(os.path.join(os.path.dirname(__file__), "house.txt")) if ": " in line) \
        if os.path.exists(os.path.join(os.path.dirname(__file__), "house.txt")) else {}
    wrong = []
    print("Types with the most members, and the files of those:")
    counted = sorted(((len({u for u, _ in found}), len({f for _, f in found}), types[usr]) for usr, found in of_type.items() if usr in types), reverse=True)
    for position, (count, spread, name) in enumerate(counted):
        too_many = count > MEMBERS_ALLOWED and spread > FILES_ALLOWED
        if too_many and name not in allowed:
            wrong.append(f"{name} has {count} members in {spread} files")
        if position < 10 or too_many:
            print(f"  {name:32} {count:4} members, {spread:3} files")
    print("Knots, the largest of each module:")
    modules = collections.defaultdict(dict)
    for file, (module, _) in files.items():
        modules[module][file] = {defined[usr] for usr in named[file] if usr in defined and defined[usr] != file and files[defined[usr]][0] == module}
    for module in sorted(modules):
        knot = circles(modules[module])[0]
        if len(knot) > KNOT_ALLOWED and module not in allowed:
            wrong.append(f"the knot of {module} has {len(knot)} files")
        print(f"  {module:32} {len(knot):4} of {len(modules[module]):3} files")
    if wrong:
        print("Too many: " + "; ".join(wrong) + ".")
    sys.exit(1 if check and wrong else 0)


if __name__ == "__main__":
    main()
