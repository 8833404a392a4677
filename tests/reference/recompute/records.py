"""What lies on disk: the plan, the results, the metrics, the tokens."""

import array
import collections
import functools
import json
import math
import os
import sys

from . import small_yaml
from .history import plan_in_force, prereg_in_force, read_amendments


def read_lines(path):
    """The whole lines of a journal; a torn last line is left out."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def setting(config, path):
    for name in path.split("."):
        config = config[name]
    return config


class Run:
    """One planned run and, once it is there, its result."""

    def __init__(self, folder, spec):
        self.spec = spec
        self.id = spec["id"]
        self.arm = spec["arm"]
        self.seed = spec["seed"]
        self.config = spec["config"]
        self.levels = {level["factor"]: level["value"] for level in spec["levels"]}
        self.folder = os.path.join(folder, "runs", self.id)
        self.result = None
        path = os.path.join(self.folder, "result.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.result = json.load(file)

    @functools.cached_property
    def metrics(self):
        return read_lines(os.path.join(self.folder, "metrics.jsonl"))

    @property
    def finished(self):
        return self.result is not None

    @property
    def final(self):
        """None: the run went non-finite."""
        return self.result["final_val_loss"] if self.result["outcome"] == "completed" else None

    @property
    def initial(self):
        return self.result["initial_val_loss"]

    def contradictions(self):
        """The result against the metrics that it summarises."""
        if not self.finished:
            return
        losses = {line["step"]: line["val_loss"] for line in self.metrics if "val_loss" in line}
        if losses.get(0) != self.initial:
            yield f"{self.id}: initial loss {self.initial}, metrics.jsonl {losses.get(0)}"
        last = self.config["train"]["max_iters"]
        if self.final is not None and losses.get(last) != self.final:
            yield f"{self.id}: final loss {self.final}, metrics.jsonl {losses.get(last)}"


class Sweep:
    def __init__(self, folder):
        self.folder = folder
        self.amendments = read_amendments(folder)
        self.prereg = small_yaml.parse(prereg_in_force(folder, self.amendments))
        plan = plan_in_force(self.journal("plan.jsonl"), self.amendments)
        self.all_runs = [Run(folder, spec) for spec in plan]
        self.planned = [run for run in self.all_runs if run.spec["block"] != "exploratory"]
        self.runs = [run for run in self.all_runs if run.spec["block"] == "main"]

    def journal(self, name):
        """Empty when there is no such file."""
        path = os.path.join(self.folder, name)
        return read_lines(path) if os.path.exists(path) else []

    @functools.cached_property
    def _contradictions(self):
        return [line for run in self.all_runs for line in run.contradictions()]

    def contradictions(self):
        return self._contradictions

    @functools.cached_property
    def pilot(self):
        """What was kept of it."""
        with open(os.path.join(self.folder, "pilot.json"), encoding="utf-8") as file:
            return json.load(file)

    @functools.lru_cache(maxsize=None)
    def _tokens(self, name):
        tokens = array.array("H")
        path = os.path.join(self.folder, "data", name + ".bin")
        with open(path, "rb") as file:
            tokens.frombytes(file.read())
        if sys.byteorder == "big":
            tokens.byteswap()
        return tokens

    def floors(self, run):
        """Cross-entropies of models that only count, on exactly the evaluated targets."""
        data, model = run.spec["data"], run.config["model"]
        return self._floors(data["hash"], data["train_tokens"],
                            model["vocab_size"] or data["vocab_size"],
                            run.config["measure"]["eval_tokens"], model["block_size"])

    @functools.lru_cache(maxsize=None)
    def _floors(self, name, train_tokens, vocabulary, eval_tokens, context):
        tokens = self._tokens(name)
        train, held_out = tokens[:train_tokens], tokens[train_tokens:]
        windows = (len(held_out) - 1) // context
        if eval_tokens:
            windows = eval_tokens // context
        single = collections.Counter(train)
        first = collections.Counter(train[:-1])
        pairs = collections.Counter(zip(train[:-1], train[1:]))
        unigram, bigram = [], []
        for before, target in zip(held_out[: windows * context], held_out[1:]):
            unigram.append(math.log((single[target] + 1) / (len(train) + vocabulary)))
            bigram.append(math.log((pairs[before, target] + 1) / (first[before] + vocabulary)))
        return {"uniform": math.log(vocabulary), "unigram": -math.fsum(unigram) / len(unigram),
                "bigram": -math.fsum(bigram) / len(bigram)}
