#!/usr/bin/env python3
"""Reads the symbol graphs of a module and its landing page. Prints the public symbols without a documentation comment, and those at
the top level that the landing page does not list, and fails if there are any."""
import json
import pathlib
import sys

graphs, page = sys.argv[1], pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
problems = []
for file in sorted(pathlib.Path(graphs).glob("*.symbols.json")):
    graph = json.loads(file.read_text(encoding="utf-8"))
    # A member that a protocol demands has the documentation of the protocol.
    inherited = {relation["source"] for relation in graph["relationships"] if "sourceOrigin" in relation}
    for symbol in graph["symbols"]:
        identifier = symbol["identifier"]["precise"]
        name = ".".join(symbol["pathComponents"])
        place = symbol.get("location", {})
        where = f'{place.get("uri", "?").rpartition("/Sources/")[2]}:{place.get("position", {}).get("line", -1) + 1}'
        if "::SYNTHESIZED::" in identifier or identifier in inherited:
            continue
        if not any(line["text"].strip() for line in symbol.get("docComment", {}).get("lines", [])):
            problems.append(f"{where}: error: '{name}' has no documentation. Say in a comment what it is for.")
        if len(symbol["pathComponents"]) == 1 and "@" not in file.name and f"- ``{name}``" not in page:
            problems.append(f"{where}: error: '{name}' is in no topic. Add a line '- ``{name}``' to {sys.argv[2]}.")
print("\n".join(problems))
sys.exit(1 if problems else 0)
