"""Whether tests/reference/recompute_report.py and `sweep report` agree on sweeps full of trouble.

    recomputed_test.py SWEEP STUB_TRAINER RECOMPUTE_REPORT

Sweeps that differ in their definitions are run with the stub trainer. Then, again and again, results
are rewritten: losses on a coarse lattice (so that ties and bare threshold hits are common), runs that
went non-finite, runs that are missing. At last the report is falsified, which must be noticed.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

HEAD = """
title: Recomputed
question: Do two programs find the same?
model: {n_embd: 32, n_head: 2, block_size: 32}
data: {corpus: synthetic, synthetic_chars: 20000}
train: {max_iters: 4, warmup_iters: 1}
measure: {eval_interval: 1, eval_tokens: 512}
"""

SWEEPS = {
    "defaults": """
arms: {base: {model.qk_norm: none}, qknorm: {model.qk_norm: rms_per_head}}
grid: {train.learning_rate: [1e-3, 1e-2, 3e-2, 1e-1, 3e-1], model.n_layer: [2, 4, 8], seed: [1, 2, 3]}
""",
    "others": """
arms: {base: {model.qk_norm: none}, qknorm: {model.qk_norm: rms_per_head}}
grid: {train.learning_rate: [3e-4, 1e-3, 2e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1], seed: [1, 2]}
definitions:
  diverged: {any: [{rule: nonfinite}, {rule: final_loss_at_least, level: 3.25}]}
  unusable:
    any:
      - {rule: diverged}
      - {rule: degraded, by: 0.25, of: same_stratum}
      - {rule: final_loss_at_least, level: uniform_floor, minus: 0.5}
  max_stable_lr: {failure: diverged, contiguous: false}
  lr_sensitivity: {points: wortsman, weights: log_trapezoid}
""",
    "two_factors": """
arms: {base: {model.qk_norm: none}, qknorm: {model.qk_norm: rms_per_head}}
grid: {train.learning_rate: [1e-2, 1e-1, 3e-1], model.n_layer: [2, 4], train.batch_size: [4, 8], seed: [1, 2]}
definitions:
  diverged: {any: [{rule: nonfinite}]}
  unusable: {any: [{rule: degraded, by: 0.25}]}
""",
}

LATTICE = [2 + i / 16 for i in range(40)]  # sums are exact, so that equal means are equal


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Fake:
    """A finished sweep whose results are made up anew at will."""

    def __init__(self, sweep, trainer, name, yaml):
        write(f"{name}.yaml", HEAD + yaml)
        subprocess.run([sweep, "run", f"{name}.yaml"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env={**os.environ, "SWEEP_TRAINER": trainer})
        self.sweep = sweep
        self.folder = f"{name}.sweep"
        self.results = {}
        self.metrics = {}
        for run in sorted(os.listdir(f"{self.folder}/runs")):
            self.results[run] = json.loads(read(f"{self.folder}/runs/{run}/result.json"))
            self.metrics[run] = read(f"{self.folder}/runs/{run}/metrics.jsonl").splitlines()

    def make_up(self, chance, share_missing, share_nonfinite):
        for run, original in self.results.items():
            folder = f"{self.folder}/runs/{run}"
            if os.path.exists(f"{folder}/result.json"):
                os.remove(f"{folder}/result.json")
            if chance.random() < share_missing:
                continue
            result = dict(original)
            result["initial_val_loss"] = chance.choice([4.0, 4.25])
            result["final_val_loss"] = chance.choice(LATTICE[:12] if chance.random() < 0.6 else LATTICE)
            lines = [json.loads(line) for line in self.metrics[run]]
            if chance.random() < share_nonfinite:
                result.update(outcome="nonfinite", step=1, quantity="val_loss", final_val_loss=None,
                              nonfinite={"final_val_loss": "nan"})
                lines = lines[:1]
            lines[0]["val_loss"] = result["initial_val_loss"]
            if result["final_val_loss"] is not None:
                lines[-1]["val_loss"] = result["final_val_loss"]
            write(f"{folder}/metrics.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
            write(f"{folder}/result.json", json.dumps(result))

    def report(self):
        command = [self.sweep, "report", self.folder, "--interim", "--json"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def recompute(script, folder):
    done = subprocess.run([sys.executable, script, "report.json", folder], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def falsified(report):
    """One number changed in each part."""
    for key, entry, name in [("cells", 3, "x"), ("best", 1, "mean"), ("max_stable_lr", 2, "value"),
                             ("lr_sensitivity", 1, "mean")]:
        other = json.loads(report)
        other[key][entry][name] = 1e-9 + (other[key][entry][name] or 0)
        yield key, other
    other = json.loads(report)
    other["cells"][0]["median"] = 2.5
    yield "a number that was not recomputed", other


def main():
    sweep, trainer, script = map(os.path.abspath, sys.argv[1:4])
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, yaml in SWEEPS.items():
            fake = Fake(sweep, trainer, name, yaml)
            for share_missing, share_nonfinite in [(0, 0), (0, 0.1), (0.02, 0.1), (0.1, 0.3), (0.5, 0.1),
                                                   (0, 1), (1, 0)]:
                fake.make_up(chance, share_missing, share_nonfinite)
                write("report.json", fake.report())
                code, output = recompute(script, fake.folder)
                print(name, share_missing, share_nonfinite, output.splitlines()[0])
                assert code == 0, output
            fake.make_up(chance, 0, 0)
            for what, report in falsified(fake.report()):
                write("report.json", json.dumps(report))
                code, output = recompute(script, fake.folder)
                assert code == 1, f"{name}: falsified {what} went unnoticed\n{output}"


if __name__ == "__main__":
    main()
