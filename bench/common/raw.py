"""What every round gave, as JSON in a file beside the report, which has medians."""
import json


def option(parser):
    parser.add_argument('--raw', metavar='FILE', help='also write what every round gave to this file, as JSON')


def save(path, found):
    if not path: return
    with open(path, 'w') as file:
        json.dump(found, file, indent=1)
        file.write('\n')
