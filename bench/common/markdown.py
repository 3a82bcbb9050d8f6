"""Markdown, as lists of lines."""


def table(header, rows):
    cells = [header, ['---'] + ['---:'] * (len(header) - 1), *rows]
    return ['| ' + ' | '.join(str(c) for c in row) + ' |' for row in cells] + ['']


def paragraph(text): return [' '.join(text.split()), '']


def save(path, lines):
    with open(path, 'w') as file: file.write('\n'.join(lines).rstrip('\n') + '\n')
