"""Captures from traffic_gen, with the truth planted in them."""
import json, os, subprocess
from collections import namedtuple

FILE_HEADER, RECORD_HEADER = 24, 16

Capture = namedtuple('Capture', 'path packets size truth')     # truth: what --truth says


def generate(build, path, options, truth_flows=None):
    """`options`: of traffic_gen, by their names without dashes; those that are None are left out, True is a flag."""
    truth = os.path.splitext(path)[0] + '.json'
    command = [os.path.join(build, 'tools', 'traffic_gen', 'traffic_gen'), '-o', path, '--truth', truth]
    if truth_flows: command += ['--truth-flows', truth_flows]
    for name, value in options.items():
        if value is not None: command += ['--' + name.replace('_', '-')] + ([] if value is True else [str(value)])
    subprocess.run(command, check=True)
    with open(path, 'rb') as file: os.fsync(file.fileno())      # not while times are taken
    with open(truth) as file: planted = json.load(file)
    os.remove(truth)
    return Capture(path, planted['frames'], os.path.getsize(path), planted)


def mean_captured(capture): return (capture.size - FILE_HEADER) / capture.packets - RECORD_HEADER


def wrong_totals(capture, found):
    """-> names of the totals where what a meter found differs from the truth"""
    return [name for name, value in capture.truth['totals'].items() if found[name] != value]
