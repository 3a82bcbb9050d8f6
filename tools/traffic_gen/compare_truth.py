#!/usr/bin/env python3
"""Compares a meter's Flow Records (CSV) with what traffic_gen planted, row by row.

    compare_truth.py TRUTH_FLOWS.csv TRUTH.json RECORDS.csv

Every row of the truth must be there with the same values in all columns the truth has, and no other row; the totals
must be the sums. Exit status: 0 equal; 1 different, with the first differences on stdout.
"""
import csv, json, sys
from collections import Counter

SHOWN = 5


def rows(path, columns):
    with open(path, newline='') as file:
        reader = csv.DictReader(file)
        columns = columns or reader.fieldnames
        return columns, Counter(tuple(row[name] for name in columns) for row in reader)


def main():
    if len(sys.argv) != 4: sys.exit(__doc__)
    truth_flows, truth_totals, records = sys.argv[1:]
    columns, planted = rows(truth_flows, None)
    _, metered = rows(records, columns)
    differences = 0
    for name, left in (('planted, not metered', planted - metered), ('metered, not planted', metered - planted)):
        differences += left.total()
        for row in sorted(left)[:SHOWN]:
            print(name, ' '.join(f'{c}={v}' for c, v in zip(columns, row) if v not in ('', '0')))
    with open(truth_totals) as file: truth = json.load(file)
    for name, total in truth['totals'].items():
        at = columns.index(name)
        found = sum(int(row[at] or 0) * times for row, times in metered.items())
        if found != total:
            differences += 1
            print(f'{name}: planted {total}, metered {found}')
    if truth['flows'] != metered.total():
        differences += 1
        print(f'flows: planted {truth["flows"]}, metered {metered.total()}')
    if differences: sys.exit(f'{differences} differences')


if __name__ == '__main__': main()
