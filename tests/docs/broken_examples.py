#!/usr/bin/env python3
"""That tests/docs/examples.py tells examples that run from those that do not: pages made with one fault each."""
import contextlib, io, os, sys, unittest

sys.dont_write_bytecode = True  # of this folder
import place, tables
from blocks import Failed, blocks_of
from examples import Page, environment
from machine import Machine
from tables import Elsewhere, SavedAs, Shown


def block(text, language=''): return f'Text.\n\n```{language}\n{text}\n```\n'


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.machine = Machine('/run/examples', environment())

    def page(self, text, **not_run):
        """Exit status, and what was said."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said): status = Page('page.md', text, not_run).run(self.machine)
        return status, said.getvalue()

    def fails(self, why, text, **not_run):
        status, said = self.page(text, **not_run)
        self.assertEqual(status, 1, said)
        self.assertRegex(said, why)

    def runs(self, text, **not_run):
        status, said = self.page(text, **not_run)
        if 'left out' in said: self.skipTest(said)
        self.assertEqual(status, 0, said)

    def test_commands(self):
        self.runs(block('warpmeter extract -o flows.csv trace.pcap   # a comment\nwarpmeter show flows.csv --csv'))
        self.runs('* A list:\n\n' + ''.join(f'  {line}\n' for line in block('cat <<END\nx\nEND').splitlines()))
        self.fails('no-such-option', block('warpmeter extract --no-such-option trace.pcap'))
        self.fails('No such file', block('warpmeter extract -o flows.csv nobody-has-this.pcap'))
        self.fails('command not found', block('SOURCE  DESTINATION'))
        self.fails('exit status 1', block('false | cat'))
        self.fails('exit status 1', block('false\nwarpmeter info trace.pcap'))
        self.fails('there is no flows.csv', block('warpmeter extract --help -o flows.csv'))

    def test_what_users_are_told(self):
        rotated = 'warpmeter extract -q --rotate {} -o rotated.csv trace.pcap\n'
        self.fails('it says\nwarpmeter: .*rotated', block(rotated.format('1K') + rotated.format('100K')))

    def test_each_is_alone(self):
        made = block('warpmeter decode -q -o made captures/')
        self.runs(made)
        self.fails('made: No such file', made + block('warpmeter extract -o flows.csv made'))
        self.fails('is not empty|already', block('warpmeter decode -o a captures/\nwarpmeter decode -o a captures/'))
        self.fails("name 'x' is not defined", block('x = 1', 'python') + block('print(x)', 'python'))
        self.fails('exit status 1', block('sleep 100 & echo $! > /data/left') + block('cat /data/left'))

    def test_who_is_beside_them(self):
        self.runs(block('warpmeter live -i eth0 -o flows.csv\ngrep -q , flows.csv'))
        self.runs(block('warpmeter extract --collector tcp://collector.example:4739 trace.pcap'))
        self.fails('the collector got nothing', block('echo collector.example'))
        self.fails('eth9', block('warpmeter live -i eth9 -o flows.csv'))

    def test_other_languages(self):
        self.fails('nobody-has-this', block('open("nobody-has-this")', 'python'))
        self.fails('No module named', block('import nobody_has_this', 'python'))
        self.fails('SyntaxError', block('print(', 'python'))
        self.fails('Expecting', block('{"a": 1, ...}', 'json'))
        self.runs(block('{"a": 1}', 'json'))
        self.fails('No rule to make target', block('a: nobody-makes-this', 'make'))
        self.fails('no way to run rust', block('fn main() {}', 'rust'))
        if not os.path.exists(f'{self.machine.build}/libwarpmeter.so'): return
        cpp = '#include <warpmeter/{}.h>\n\nwarpmeter::Extraction run({{"trace.pcap"}}, {});'
        self.fails('is not a member', block(cpp.format('link_type', '{}'), 'cpp'))
        self.fails('extract has no option --x', block(cpp.format('extraction', '{{"x", "y"}}'), 'cpp'))
        self.fails('nobody', block('find_package(warpmeter)\ntarget_link_libraries(mine warpmeter::nobody)', 'cmake'))

    def test_what_is_not_run(self):
        drawing = block('  +--+\n  |  |')
        self.fails('What is no command', drawing)
        self.runs(drawing, **{'  +--+': Shown('a drawing')})
        self.fails('what is not there', block('true'), **{'  +--+': Shown('a drawing')})
        self.runs(block('tools/test\ntrue'), **{'tools/test': Elsewhere('runs this')})
        self.fails('exit status 1', block('tools/test\nfalse'), **{'tools/test': Elsewhere('runs this')})
        self.fails('no program tools/no-such', block('tools/no-such'), **{'tools/': Elsewhere('is long')})
        self.fails('bash cannot read', block("tools/test 'x"), **{'tools/': Elsewhere('is long')})
        file = block('one\ntwo')
        self.runs(file + block('grep two a.txt'), one=SavedAs('a.txt'))
        self.fails('or no example takes', file + block('true'), one=SavedAs('a.txt'))
        with self.assertRaisesRegex(Failed, 'page.md:3: this block has no end'):
            Page('page.md', 'Text.\n\n```\ntrue\n', {})

    def test_what_is_left_out(self):
        tables.PROGRAMS['nobody-has-this'] = ('nobody-has-this', 'no-package')
        self.addCleanup(tables.PROGRAMS.pop, 'nobody-has-this')
        status, said = self.page(block('nobody-has-this') + block('true'))
        self.assertEqual(status, 77, said)
        self.assertIn('page.md:3: left out: apt-get install no-package runs this', said)
        self.fails('page.md:8: FAILED', block('nobody-has-this') + block('false'))

    def test_the_tables(self):
        """They have nothing that no page has: of a page that is gone, no other test would tell."""
        source, texts = self.machine.source, []
        pages = ['README.md', 'CONTRIBUTING.md', *(f'docs/{name}' for name in os.listdir(f'{source}/docs'))]
        for page in pages:
            if not page.endswith('.md'): continue
            with open(f'{source}/{page}', encoding='utf-8') as file: texts += blocks_of(page, file.read())
        self.assertLessEqual(tables.NOT_RUN.keys(), {*pages})
        for name in ('STAND_INS', 'PROGRAMS', 'FEATURES', 'MODULES', 'BESIDE', 'CPP_BEFORE', 'PYTHON_BEHIND'):
            unused = [word for word in getattr(tables, name) if not any(word in one.text for one in texts)]
            self.assertEqual(unused, [], name)


if __name__ == '__main__':
    place.enter(environment()['SOURCE'], environment()['WARPMETER'])
    unittest.main()
