"""How an example of each language runs: functions of the block, its folder and the machine, which raise Failed."""
import glob, json, os, re

import tables
from blocks import Failed, command_lines, outputs_of
from machine import LeftOut


def run_shell(block, folder, machine):
    """As somebody types it, line by line, who stops where a line fails. Then there is what it says that it writes; and
    warpmeter has nothing to tell the user, but `live`, which says what it does."""
    status, out, err = machine.run(['bash', '-euo', 'pipefail', '-c', block.text], folder)
    if status: raise Failed(f'exit status {status}\n{out}{err}')
    if 'warpmeter live' not in block.text and re.search('^warpmeter: ', err, re.M): raise Failed(f'it says\n{err}')
    for name in (name for line in command_lines(block) for name in outputs_of(line)):
        stem, dot, ending = name.partition('.')
        if not glob.glob(f'{folder}/{name}') and not (dot and glob.glob(f'{folder}/{stem}.*.{ending}')):
            raise Failed(f'there is no {name}\n{out}{err}')


def run_python(block, folder, machine):
    save(folder, 'example.py', block.text)
    status, out, err = machine.run([machine.python, 'example.py'], folder)
    if status: raise Failed(f'exit status {status}\n{out}{err}')


def run_json(block, folder, machine):
    try: json.loads(block.text)
    except ValueError as error: raise Failed(str(error)) from None


def run_make(block, folder, machine):
    save(folder, 'Makefile', block.text)
    machine.command('make -s -j8', folder)
    if 'up to date' not in machine.command('LC_ALL=C make', folder): raise Failed('make does it again')


def run_cpp(block, folder, machine):
    """Its headers, and the rest as the body of main(), over the library as it is installed."""
    library = installed(machine)
    headers = re.findall(r'^#include .*\n', block.text, re.M)
    body = re.sub(r'^#include .*\n', '', block.text, flags=re.M)
    before = [text + '\n' for name, text in tables.CPP_BEFORE.items() if re.search(rf'\b{name}\(', body)]
    save(folder, 'example.cc', ''.join([*headers, *before, 'int main() {\n', body, '}\n']))
    flags = machine.command(f'pkg-config --cflags --libs {library}/lib/pkgconfig/warpmeter.pc', folder).strip()
    machine.command(f'g++ -std=c++20 -o example example.cc {flags}', folder)
    machine.command(f'LD_LIBRARY_PATH={library}/lib ./example', folder)


def run_cmake(block, folder, machine):
    """The lines stand in a project with a program `mine`."""
    library = installed(machine)
    main = 'int main() { warpmeter::Extraction run({"trace.pcap"}, {}); }\n'
    save(folder, 'mine.cc', '#include <warpmeter/extraction.h>\n' + main)
    top = 'cmake_minimum_required(VERSION 3.22)\nproject(mine LANGUAGES CXX)\nadd_executable(mine mine.cc)\n'
    save(folder, 'CMakeLists.txt', top + block.text)
    machine.command(f'cmake -G Ninja -B build -DCMAKE_PREFIX_PATH={library} && cmake --build build', folder)


def installed(machine):
    """Where the library is installed, as its packages have it; once a page."""
    folder = f'{machine.folder}/installed'
    if not os.path.exists(f'{machine.build}/libwarpmeter.so'): raise LeftOut('a build that has libwarpmeter runs this')
    if not os.path.exists(folder):
        for part in ('library', 'development', 'parquet'):
            machine.command(f'cmake --install {machine.build} --prefix {folder} --component {part}', machine.folder)
    return folder


def save(folder, name, text):
    with open(f'{folder}/{name}', 'w') as file: file.write(text)


RUN = {'': run_shell, 'sh': run_shell, 'python': run_python, 'json': run_json, 'make': run_make, 'cpp': run_cpp,
       'cmake': run_cmake}
