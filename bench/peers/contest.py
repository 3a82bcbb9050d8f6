"""Candidates taking turns on one capture. Who fails is out, with the reason; the others go on."""
import os, shutil

from common import timing

LONGEST = 3600  # seconds: who needs more is not waited for


class Result:
    def __init__(self, candidate):
        self.candidate, self.runs, self.counts, self.error = candidate, [], None, ''
        self.fixed = None       # wall seconds for a capture of next to nothing

    @property
    def done(self): return not self.error and bool(self.runs)


class Contest:
    def __init__(self, candidates, folder, rounds, slow_rounds):
        self.results = [Result(candidate) for candidate in candidates]
        for result in self.results:
            if not result.candidate.installed(): result.error = 'not installed'
        self.folder, self.rounds, self.slow_rounds = folder, rounds, slow_rounds

    def hold(self, capture, tiny, tell):
        """One round to warm up, if several follow; then the rounds that count, of which the slow run the last."""
        for result in self.results:
            if not result.error: result.fixed = self.once(result, tiny).wall
        for number in range(0 if self.rounds > 1 else 1, self.rounds + 1):
            for result in self.results:
                if result.error or (result.candidate.slow and number <= self.rounds - self.slow_rounds): continue
                tell(f'round {number} of {self.rounds}: {result.candidate.name}')
                run = self.once(result, capture)
                if number and not result.error: result.runs.append(run)

    def once(self, result, capture):
        """A run in a folder of its own."""
        folder = os.path.join(self.folder, 'run')
        os.makedirs(folder)
        run = timing.run(result.candidate.command(capture, folder), folder, limit=LONGEST)
        result.error = run.error
        if not run.error:
            try: result.counts = result.candidate.counts(capture, folder)
            except Exception as error: result.error = f'output not understood: {timing.first_line(str(error))}'
        shutil.rmtree(folder)
        return run
