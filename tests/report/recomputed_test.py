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

ARMS = "arms: {base: {model.qk_norm: none}, qknorm: {model.qk_norm: rms_per_head}}"

SWEEPS = {
    "defaults": """
grid: {train.learning_rate: [1e-3, 1e-2, 3e-2, 1e-1, 3e-1], model.n_layer: [2, 4, 8], seed: [1, 2, 3]}
definitions:
  ranges: {low: [1e-3, 1e-2], high: [1e-1, 3e-1]}
  gap: {minuend: base, subtrahend: qknorm}
  convergence: {val_loss: 2.75}
hypotheses:
  H1:
    claim: negligible at low rates, decisive at high ones
    supported_if:
      all:
        - {quantity: gap, range: low, between: [-0.10, 0.05], strata: {at_least: 1}}
        - {quantity: gap, range: high, at_least: 0.10, seeds: {at_least: 2}}
    contradicted_if: {not: {quantity: gap, range: high, at_least: 0.05, strata: {at_least: 2}}}
  H2:
    claim: higher max stable rate and lower sensitivity
    supported_if:
      any:
        - {quantity: max_stable_lr, arm: qknorm, is: above, than: base, strata: {at_least: 2}, seeds: {at_least: 2}}
        - {quantity: lr_sensitivity, arm: qknorm, is: below, than: base}
    contradicted_if: {quantity: max_stable_lr, arm: qknorm, is: below, than: base, seeds: {at_least: 1}}
  H3:
    claim: the necessity rate falls
    supported_if:
      any:
        - {quantity: necessity_lr, across: model.n_layer, last_over_first: {at_most: 0.34}, seeds: {at_least: 2}}
        - {test: page_l, quantity: lr_sensitivity, arm: base, across: model.n_layer, trend: rising, p_at_most: 0.5}
    contradicted_if: {test: jonckheere_terpstra, quantity: necessity_lr, across: model.n_layer, trend: rising, p_at_most: 0.4}
  H4:
    claim: faster, and lower at its best
    supported_if: {quantity: convergence, at: arm_best_lr, arm: qknorm, is: below, than: base, seeds: {at_least: 1}}
    contradicted_if: {quantity: final_val_loss, at: arm_best_lr, arm: qknorm, is: above, than: base, strata: {at_least: 1}}
""",
    "others": """
grid: {train.learning_rate: [3e-4, 1e-3, 2e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1], seed: [1, 2]}
definitions:
  ranges: {all: [3e-4, 3e-1]}
  diverged: {any: [{rule: nonfinite}, {rule: final_loss_at_least, level: 3.25}]}
  unusable:
    any:
      - {rule: diverged}
      - {rule: degraded, by: 0.25, of: same_stratum}
      - {rule: final_loss_at_least, level: uniform_floor, minus: 0.5}
  max_stable_lr: {failure: diverged, contiguous: false}
  lr_sensitivity: {points: wortsman, weights: log_trapezoid}
  necessity_lr: {control: {worse_by: 0.125}, persistent: false}
  gap: {minuend: qknorm, subtrahend: base, average: none}
  convergence: {val_loss: {level: bigram_floor, minus: 0.25}, confirm_evals: 2}
hypotheses:
  H1:
    claim: some gap
    supported_if: {quantity: gap, range: all, at_most: 0.75, seeds: {at_least: 1}}
    contradicted_if: {quantity: final_val_loss, arm: base, range: all, is: below, than: qknorm}
  H2:
    claim: steps
    supported_if: {quantity: convergence, at: same_lr, arm: qknorm, is: below, than: base, seeds: {at_least: 1}}
    contradicted_if: {quantity: max_stable_lr, arm: qknorm, is: below, than: base}
analysis: {seeds_required: 1, degraded_profile: [0.125, 1]}
gates: {override: {outcomes: every kind of rule is to be recomputed}}
""",
    "two_factors": """
grid: {train.learning_rate: [1e-2, 1e-1, 3e-1], model.n_layer: [2, 4], train.batch_size: [4, 8], seed: [1, 2]}
definitions:
  diverged: {any: [{rule: nonfinite}]}
  unusable: {any: [{rule: degraded, by: 0.25}]}
hypotheses:
  H1:
    claim: falls with depth in each batch size
    supported_if: {quantity: necessity_lr, across: model.n_layer, last_over_first: {at_most: 1}, strata: {at_least: 1}}
    contradicted_if: {test: page_l, quantity: max_stable_lr, arm: base, across: model.n_layer, trend: rising, p_at_most: 0.3}
analysis: {correction: {method: none}}
gates: {override: {outcomes: every kind of rule is to be recomputed}}
""",
    "amended": """
grid: {train.learning_rate: [1e-2, 1e-1], seed: [1, 2]}
""",
}

AMENDED = """
grid: {train.learning_rate: [1e-2, 1e-1, 3e-1], seed: [1, 2]}
definitions: {unusable: {any: [{rule: diverged}, {rule: degraded, by: 0.5}]}}
"""

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
        write(f"{name}.yaml", HEAD + ARMS + yaml)
        self.sweep = sweep
        self.trainer = trainer
        self.folder = f"{name}.sweep"
        self.call("run", f"{name}.yaml")
        if name == "amended":
            write("changed.yaml", HEAD + ARMS + AMENDED)
            self.call("amend", self.folder, "changed.yaml", "--what", "one rate more", "--why", "a test",
                      "--impact", "none")
            self.call("note", self.folder, "a remark")
            self.call("resume", self.folder)
        self.results = {}
        self.metrics = {}
        for run in sorted(os.listdir(f"{self.folder}/runs")):
            self.results[run] = json.loads(read(f"{self.folder}/runs/{run}/result.json"))
            self.metrics[run] = read(f"{self.folder}/runs/{run}/metrics.jsonl").splitlines()

    def call(self, *words):
        done = subprocess.run([self.sweep, *words], capture_output=True, text=True, check=False,
                              env={**os.environ, "SWEEP_TRAINER": self.trainer})
        assert done.returncode == 0, done.stderr

    def make_up(self, chance, share_missing, share_nonfinite):
        for run, original in self.results.items():
            folder = f"{self.folder}/runs/{run}"
            if os.path.exists(f"{folder}/result.json"):
                os.remove(f"{folder}/result.json")
            if chance.random() < share_missing:
                continue
            result = dict(original)
            result["initial_val_loss"] = chance.choice([4.0, 4.25])
            result["clip_count"] = chance.choice([0, 1, 3])
            result["final_val_loss"] = chance.choice(LATTICE[:12] if chance.random() < 0.6 else LATTICE)
            lines = [json.loads(line) for line in self.metrics[run]]
            if chance.random() < share_nonfinite:
                result.update(outcome="nonfinite", step=1, quantity="val_loss", final_val_loss=None,
                              nonfinite={"final_val_loss": "nan"})
                lines = lines[:1]
            for line in lines:
                line["val_loss"] = chance.choice(LATTICE)
                if self.folder != "amended.sweep":
                    line.update(measured(chance, line["step"]))
            lines[0]["val_loss"] = result["initial_val_loss"]
            if result["final_val_loss"] is not None:
                lines[-1]["val_loss"] = result["final_val_loss"]
            write(f"{folder}/metrics.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
            write(f"{folder}/result.json", json.dumps(result))

    def report(self):
        command = [self.sweep, "report", self.folder, "--interim", "--json"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def measured(chance, step):
    """Training and mechanism as the trainer writes them."""
    line = {}
    if step > 0:
        line.update(train_loss=chance.choice(LATTICE), lr=0.1, grad_norm=chance.choice([0.5, 1.5, 20.0]))
    if step in (0, 2, 4):
        line["mechanism"] = {"max_attention_logit": chance.choice([5.0, 2e2, 2e3, 2e4, 6e4]),
                             "max_attention_logit/L0": 5.0, "attention_entropy": 1.25,
                             "attention_entropy/min": chance.choice([0.01, 0.5, 2.0])}
        if chance.random() < 0.1:
            line["mechanism"].update(max_attention_logit=None, nonfinite={"max_attention_logit": "inf"})
    return line


def recompute(script, folder):
    done = subprocess.run([sys.executable, script, "report.json", folder], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def falsified(report):
    """One number changed in each part."""
    for key, entry, name in [("cells", 3, "x"), ("best", 1, "mean"), ("max_stable_lr", 2, "value"),
                             ("lr_sensitivity", 1, "mean"), ("necessity_lr", -1, "crossing_gap"),
                             ("gap", 1, "mean")]:
        other = json.loads(report)
        other[key][entry][name] = 1e-9 + (other[key][entry][name] or 0)
        yield key, other
    other = json.loads(report)
    if other["verdicts"]:
        other["verdicts"][0]["verdict"] = "proven"
        yield "verdict", other
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
