#!/usr/bin/env bash
# Links and paths in README.md, CONTRIBUTING.md and docs/ lead to files and headings that are there; options are ones of
# the program; and functions and types that docs/architecture.md names stand in the sources. Every page of docs/ is
# reached from the README.
. "$(dirname "$0")/../common.sh"
for command in extract decode reassemble live show report merge memory policy info; do "$WARPMETER" $command --help; done > help.txt
python3 - "$SOURCE" help.txt <<'PY'
import os, re, sys

top, help_file = sys.argv[1:]
ROOTS = {f for f in os.listdir(top) if os.path.isdir(os.path.join(top, f)) and not f.startswith('.')} - {'build'}
papers = [os.path.relpath(os.path.join(folder, f), top) for folder, _, files in os.walk(os.path.join(top, 'docs')) for f in files]
pages = ['README.md', 'CONTRIBUTING.md'] + sorted(f for f in papers if f.endswith(('.md', '.ipynb')))
known_options = set(re.findall(r'--[a-z][a-z0-9-]*', open(help_file).read()))
bad, links, paths, words = [], 0, 0, 0


def read(path): return open(os.path.join(top, path), encoding='utf-8').read()


def without_blocks(text): return re.sub(r'^```.*?^```$', '', text, flags=re.M | re.S)


def anchors(text):
    heads = re.findall(r'^#+ (.*)$', without_blocks(text), re.M)
    return {re.sub(r'[^\w\- ]', '', h.lower()).replace(' ', '-') for h in heads}


def sources():
    for root in ('include', 'src', 'kernels'):
        for folder, _, files in os.walk(os.path.join(top, root)):
            for f in files:
                if f.endswith(('.h', '.cc', '.cu', '.cuh')): yield open(os.path.join(folder, f), encoding='utf-8').read()


linked = set()
for page in pages:
    text = read(page)
    for target in re.findall(r'\]\(([^)\s]+)\)', without_blocks(text)):
        if re.match(r'[a-z]+://', target): continue
        links += 1
        path, _, anchor = target.partition('#')
        path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        linked.add(path)
        if not os.path.exists(os.path.join(top, path)): bad.append(f'{page}: link to {target}')
        elif anchor and anchor not in anchors(read(path)): bad.append(f'{page}: no heading for {target}')
    for span in re.findall(r'`([^`\n]+)`', without_blocks(text)):
        path = span.split()[0]
        if '/' in path and path.split('/')[0] in ROOTS and re.fullmatch(r'[\w./-]+', path):
            paths += 1
            if not os.path.exists(os.path.join(top, path)): bad.append(f'{page}: path {path}')

for page in pages:
    if page.startswith('docs/') and page not in linked: bad.append(f'{page}: no link leads there')

# Of users' pages, the program's options.
for page in ['README.md'] + ['docs/' + f + '.md' for f in ('inputs', 'decode', 'streams', 'live', 'growing-folders', 'service', 'outputs', 'show', 'report', 'merge', 'memory', 'policies', 'limits', 'definitions', 'coming-from')]:
    for option in re.findall(r'`(--[a-z][a-z0-9-]*)', read(page)):
        if option not in known_options: bad.append(f'{page}: option {option}')

# Of the map: Type, Type::member, function().
everything = '\n'.join(sources())
names = set(re.findall(r'\w+', everything))
for span in set(re.findall(r'`([A-Za-z_][\w:]*(?:\(\))?)`', without_blocks(read('docs/architecture.md')))):
    if not (span.endswith('()') or '::' in span or re.fullmatch(r'(?:[A-Z][a-z0-9]+)+', span)): continue
    words += 1
    for part in span.removesuffix('()').split('::'):
        if part not in names: bad.append(f'docs/architecture.md: {span} is in no source')

for paper in set(re.findall(r'\bdocs/[\w-]+\.md\b', everything)):
    if not os.path.exists(os.path.join(top, paper)): bad.append(f'a source names {paper}')

print(f'{len(pages)} pages, {links} links, {paths} paths, {words} names')
for line in bad: print(line)
sys.exit(1 if bad or links < 30 or paths < 30 or words < 30 else 0)
PY
