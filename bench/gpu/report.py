"""summary.md: what was done and how it ended, then the tables. Measured figures only."""
import datetime, subprocess

from bench import TOP, table


def summary(bench, command, stopped):
    first = '# Rehearsal without a GPU' if bench.options.cpu_only else '# warpmeter on a GPU'
    if bench.options.smoke: first += ' (smoke values: nothing is measured)'
    when = datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%d %H:%M UTC')
    return '\n'.join([first, '', f'`{command}`, {when}{revision()}', '', *(f'* {line}' for line in bench.about), '',
                      f'**{verdict(bench, stopped)}**', '', *steps_table(bench), *sections(bench)])


def verdict(bench, stopped):
    """One line; also what the program prints at the end."""
    words = [f'{how}: {", ".join(names)}' for how in ('FAILED', 'skipped')
             if (names := [r.step for r in bench.results if r.verdict == how])]
    done = sum(r.verdict == 'ok' for r in bench.results)
    return '; '.join([*(['stopped'] if stopped else []), f'{done} of {len(bench.results)} steps ok', *words])


def steps_table(bench):
    return table(('step', 'result', 's', ''), [(r.step, r.verdict, f'{r.seconds:.1f}', cell(r.text))
                                               for r in bench.results])


def cell(text): return text.replace('|', '\\|').replace('\n', ' ')


def sections(bench):
    """The long table of comparisons last."""
    lines = []
    for heading, section in sorted(bench.sections.items(), key=lambda item: item[0].endswith('against cpu')):
        lines += [f'## {heading}', '', *section]
    return lines


def revision():
    """Where git can tell."""
    try:
        said = subprocess.run(['git', '-C', TOP, 'describe', '--always', '--dirty'], capture_output=True, text=True)
        return f', {said.stdout.strip()}' if said.returncode == 0 else ''
    except OSError: return ''
