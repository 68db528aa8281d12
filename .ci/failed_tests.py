#!/usr/bin/env python3
"""Reads the log of `swift test` and prints what failed: errors of the build, every issue with its messages, the tests that were
running when the process died, and the names of the failed tests. CI shows only the last 70 lines, so this prints at most 60."""
import re
import sys

running, issues, failed, total = {}, [], [], []
in_issue = False
for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
    line = line.rstrip("\n")
    if " recorded an issue " in line or re.search(r"\berror: ", line) or "unexpected signal" in line:
        issues.append(line[:500])
        in_issue = True
    elif in_issue and line.startswith("↳"):
        issues.append("  " + line[:300])
    else:
        in_issue = False
    if match := re.match(r"\S+ Test (?!run |case )(.*) started\.$", line):
        running[match[1]] = True
    elif match := re.match(r"\S+ Test (?!run |case )(.*?)(?: with \d+ test cases?)? (passed|failed) after ", line):
        running.pop(match[1], None)
        if match[2] == "failed":
            failed.append(line[:200])
    elif re.match(r"\S+ Test run with ", line):
        total, running = [line], {}
left = [f"did not end: {name}"[:200] for name in running]
if len(issues) > 34:
    issues = issues[:33] + [f"… and {len(issues) - 33} more lines of issues, all in {sys.argv[1]}"]
print("\n".join(issues + failed[:15] + left[:10] + total))
