"""The fenced blocks of a page in Markdown, and of blocks for a shell their command lines."""
import re
from dataclasses import dataclass

SHELL = ('', 'sh')  # a block that does not name its language is for a shell


@dataclass(frozen=True)
class Block:
    line: int      # that of its fence
    language: str  # as it stands behind the fence
    text: str


class Failed(Exception):
    """An example, or its page, is not right."""


def blocks_of(page, text):
    """All of them, in order. What is indented as a part of a list is taken without the indentation."""
    found, opened = [], None
    for number, line in enumerate(text.split('\n'), 1):
        fence = re.match(r'( *)(```+|~~~+)\s*(\S*)', line)
        if opened is None:
            if fence: opened, lines = (number, fence), []
        elif fence and line.strip() == opened[1][2]:
            found.append(Block(opened[0], opened[1][3], '\n'.join(lines) + '\n'))
            opened = None
        else: lines.append(line.removeprefix(opened[1][1]))
    if opened: raise Failed(f'{page}:{opened[0]}: this block has no end')
    return found


def command_lines(block):
    """The lines of a block for a shell; one that ends with a backslash goes on in the next."""
    return re.findall(r'(?:[^\n]*\\\n)*[^\n]*\n', block.text)


def words_of(text):
    """What may be names of files in it, with the places where they begin."""
    return [(found[0], found.start()) for found in re.finditer(r"[\w./*%{}+-]+", text)]


def uses(block, name):
    """Whether the block reads the file NAME, or of that folder: it names it, and does not write it before."""
    for word, at in words_of(block.text):
        if word == name or word.rstrip('/') == name or word.startswith(name + '/'):
            before, behind = block.text[:at], block.text[at + len(word):]
            return not (re.search(r'(?<!\S)(-o|>|mkdir|mkdir -p) $', before) or behind.startswith(':'))
    return False


def outputs_of(line):
    """Files and folders that warpmeter writes by this line, but for names that a shell makes, and places elsewhere."""
    line = re.sub(r'\s#.*', '', line)
    named = re.findall(r'(?<!\S)-o (\S+)', line) if re.search(r'(^|[\s|])warpmeter ', line) else []
    return [name.rstrip('/') for name in named if re.fullmatch(r'[\w.][\w./-]*', name)]
