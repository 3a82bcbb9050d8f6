#!/usr/bin/env python3
"""Random patterns, and where they end in random texts, as Python's `re` has it: for tests/policy/patterns.

    pattern_ends.py SEED SETS       SETS times some patterns and a text

Of each set a line TEXT, then for each pattern a line PATTERN ENDS INSIDE. TEXT and PATTERN are hexadecimal. ENDS are
the offsets in the text where a match ends, joined by commas, "-" for none; INSIDE the same where the text is the rest
of a stream whose beginning was not seen.
"""
import random, re, sys

PATTERNS_OF_A_SET = 6
LETTERS = [b'a', b'b', b'c', b'A', b' ', b'\\n', b'\\x80', b'\\x00', b'\\.', b'.', b'[ab]', b'[^a]', b'[]a-]',
           b'\\d', b'\\w', b'\\W', b'\\s']
TEXT = b'aaabbbcA 1.\n\x80\0'


MANY = [b''] * 8 + [b'?', b'*', b'+', b'{2}', b'{1,3}', b'{2,}', b'{0,1}', b'*?', b'+?']
FEW = [b''] * 4 + [b'?', b'{2}', b'{1,2}', b'{0,1}']     # of groups: re tries all ways of repeating what repeats


def piece(r, depth):
    if depth < 2 and r.random() < 0.3:
        return r.choice([b'(', b'(?:', b'(?i:']) + choice(r, depth + 1) + b')' + r.choice(FEW)
    return r.choice(LETTERS) + r.choice(MANY)


def branch(r, depth):
    anchor = r.choices([b'', b'^', b'\\A', b'\\b', b'\\B'], [72, 15, 5, 6, 2])[0]
    if depth and anchor == b'^' and r.random() < 0.2:
        return b'(?:' + anchor + r.choice(LETTERS) + b')?' + piece(r, depth)
    return anchor + b''.join(piece(r, depth) for _ in range(r.randrange(1, 4)))


def choice(r, depth): return b'|'.join(branch(r, depth) for _ in range(r.choice([1, 1, 1, 2, 3])))


def ends(pattern, text, first):
    """first: 1 for a text inside of a stream, with a byte in front so that ^ does not match."""
    at_end, whole = re.compile(b'(?:' + pattern + b')\\Z', re.DOTALL), bytes(first) + text
    found = [end for end in range(1, len(text) + 1) if at_end.search(whole[:end + first], first)]
    return ','.join(map(str, found)) or '-'


def a_pattern(r):
    while True:
        pattern = choice(r, 0)
        if not re.compile(pattern, re.DOTALL).search(b''): return pattern


def main():
    r = random.Random(int(sys.argv[1]))
    for _ in range(int(sys.argv[2])):
        text = bytes(r.choice(TEXT) for _ in range(r.randrange(1, 25)))
        print(text.hex())
        for _ in range(PATTERNS_OF_A_SET):
            pattern = a_pattern(r)
            print(pattern.hex(), ends(pattern, text, 0), ends(pattern, text, 1))


main()
