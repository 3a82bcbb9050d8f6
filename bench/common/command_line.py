"""The command that made a report, as one types it: without where it was built and where it went."""
import argparse, sys


def typed(name):
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for option in ('--build', '--out', '--tmp'): parser.add_argument(option)
    _, others = parser.parse_known_args(sys.argv[1:])
    return ' '.join([name, *others, '--out', 'FOLDER'])
