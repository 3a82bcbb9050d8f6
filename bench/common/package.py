"""The Python package that a build folder has."""
import os, subprocess, sys

from . import ready


def python(build):
    """-> the words that start an interpreter with it."""
    interpreter = os.path.join(ready.TOP, 'build', 'python', 'bin', 'python3')
    package = os.path.realpath(os.path.join(build, 'python'))
    words = ['env', f'PYTHONPATH={package}', interpreter if os.path.exists(interpreter) else sys.executable]
    if subprocess.run([*words, '-c', 'import warpmeter'], capture_output=True).returncode:
        raise ready.Trouble(f'no Python package in {package}: CONTRIBUTING.md tells how it is built')
    return words
