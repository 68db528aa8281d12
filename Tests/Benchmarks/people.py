#!/usr/bin/env python3
"""Prints as many people as the argument says, as CSV for `roster import`."""
import sys
print('uid,givenName,familyName,commonName,mail,title,department,telephoneNumber,manager')
for n in range(1, int(sys.argv[1]) + 1):
    manager = '' if n == 1 else f'user{max(1, n // 10):07d}'
    print(f'user{n:07d},Given{n},Sur{n},Given{n} Sur{n},user{n:07d}@example.com,Title {n % 50},Dept {n % 200},+1-555-{n:07d},{manager}')
