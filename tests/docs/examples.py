#!/usr/bin/env python3
"""Runs every example of a page of the docs: each fenced block by itself, as it stands there, in a new folder.

    tests/docs/examples.py README.md|docs/PAGE.md

ctest runs it once for each page (docs.PAGE), and sets SOURCE, WARPMETER, FEEDER and PYTHON. Exit status 1 if
an example fails, if one is neither run nor listed in tables.py, or if what is listed is not there; 77 if some were left
out for what this build or machine lacks. Needs root.
"""
import dataclasses, os, re, subprocess, sys, time

sys.dont_write_bytecode = True  # of this folder
import place
from blocks import SHELL, Failed, blocks_of, command_lines
from languages import RUN, save
from machine import LeftOut, Machine, end_all
from tables import NOT_RUN, PYTHON_BEHIND, Elsewhere, SavedAs, Shown


class Page:
    """The examples of one page, and what NOT_RUN has for it: by how a block or a line begins."""

    def __init__(self, name, text, not_run):
        self.name, self.blocks, self.not_run = name, blocks_of(name, text), not_run
        self.used, self.files = set(), []
        for block in self.blocks:
            if begins := self.entry(block.text, SavedAs): self.files.append((not_run[begins].name, block.text, begins))

    def entry(self, text, kind):
        """The longest one of that kind which TEXT begins with, or None."""
        fits = [begins for begins, what in self.not_run.items() if isinstance(what, kind) and text.startswith(begins)]
        return max(fits, key=len, default=None)

    def run(self, machine):
        """Says of each block what became of it, and returns the exit status."""
        failed = left_out = 0
        for block in self.blocks:
            begun = time.monotonic()
            try: verdict = self.run_block(block, machine)
            except LeftOut as why: verdict, left_out = f'left out: {why}', left_out + 1
            except Failed as why:
                verdict, failed = f'FAILED: {why}\n{block.text}', failed + 1
                if block.language in SHELL: verdict += '(What is no command stands in NOT_RUN of tests/docs/tables.py.)'
            print(f'{self.name}:{block.line}: {verdict} ({time.monotonic() - begun:.1f} s)', flush=True)
        for begins in self.not_run.keys() - self.used:
            print(f'{self.name}: FAILED: tests/docs/tables.py has what is not there, or no example takes: {begins}')
            failed += 1
        return 1 if failed else 77 if left_out else 0

    def run_block(self, block, machine):
        if begins := self.entry(block.text, Shown) or self.entry(block.text, SavedAs):
            if isinstance(self.not_run[begins], SavedAs): return f'a file, {self.not_run[begins].name}'
            self.used.add(begins)
            return f'shown: {self.not_run[begins].why}'
        if block.language not in RUN: raise Failed(f'no way to run {block.language}: tests/docs/languages.py')
        if block.language in SHELL:
            lines, elsewhere = self.without_elsewhere(block, machine)
            if not lines: return f'elsewhere: {"; ".join(elsewhere)}'
            block = dataclasses.replace(block, text=''.join(lines))
        for begins, call in PYTHON_BEHIND.items():
            if begins in block.text: block = dataclasses.replace(block, text=f'{block.text}\n{call}\n')
        machine.need(block)
        folder = machine.new_folder(block)
        self.save_files(block.text, folder)
        try:
            with machine.company(block, folder): RUN[block.language](block, folder, machine)
        finally: end_all()
        return 'ok'

    def without_elsewhere(self, block, machine):
        """The lines that are run; and why others are not, of which all is checked that Elsewhere promises."""
        lines, elsewhere = [], {}
        for line in command_lines(block):
            begins = self.entry(line, Elsewhere)
            if begins is None:
                lines.append(line)
                continue
            self.used.add(begins)
            elsewhere[self.not_run[begins].why] = True
            if subprocess.run(['bash', '-n', '-c', line], stderr=subprocess.DEVNULL).returncode:
                raise Failed(f'bash cannot read {line}')
            for name in re.findall(r'(?:^|[\s;&])(?:\./)?(tools/[\w-]+)', line):
                if not os.access(f'{machine.source}/{name}', os.X_OK): raise Failed(f'there is no program {name}')
        return lines, elsewhere

    def save_files(self, text, folder):
        """Those of the page that TEXT names, and those that these name."""
        for name, content, begins in self.files:
            if name in text and not os.path.exists(f'{folder}/{name}'):
                save(folder, name, content)
                self.used.add(begins)
                self.save_files(content, folder)


def environment(): return {**dict.fromkeys(('SOURCE', 'WARPMETER', 'FEEDER', 'PYTHON'), ''), **os.environ}


def main():
    if len(sys.argv) != 2: sys.exit(__doc__)
    env = environment()
    with open(os.path.join(env['SOURCE'], sys.argv[1]), encoding='utf-8') as file: text = file.read()
    try: page = Page(sys.argv[1], text, NOT_RUN.get(sys.argv[1], {}))
    except Failed as error: sys.exit(f'FAILED: {error}')
    if page.blocks: place.enter(env['SOURCE'], env['WARPMETER'])
    sys.exit(page.run(Machine('/run/examples', env) if page.blocks else None))


if __name__ == '__main__': main()
