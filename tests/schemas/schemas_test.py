"""Whether what sweep prints for programs is what docs/schemas says, and nothing else would pass.

    schemas_test.py ROOT SWEEP STUB_TRAINER [TRAINER]

Verbs are run on small sweeps of the stub trainer; with the true one `bench` and a short sweep are run, too.
Exits 77 (skipped) without the Python library jsonschema.
"""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

try:
    from schemas import OF_TRAINERS, read_schemas
except ModuleNotFoundError as missing:
    if missing.name != "jsonschema":
        raise
    print(f"skipped: {missing}; ./bootstrap test installs it into .venv")
    sys.exit(77)

ROOT = pathlib.Path(sys.argv[1]).resolve()
sys.path.append(str(ROOT / "tests/report"))
from recomputed_test import ARMS, HEAD, SWEEPS, Fake  # noqa: E402 (sweeps full of trouble)

SWEEP, STUB = map(os.path.abspath, sys.argv[2:4])
TRAINER = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
GRID = "\ngrid: {train.learning_rate: [1e-2, 1e-1], seed: [1, 2]}\n"


def start(*words, trainer=STUB, **environment):
    environment = {**os.environ, "SWEEP_TRAINER": trainer, **environment}
    return subprocess.Popen([SWEEP, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=environment)


def call(*words, codes=(0,), **options):
    """What it printed; its exit status must be among `codes`."""
    process = start(*words, **options)
    out, err = process.communicate()
    assert process.returncode in codes, f"sweep {words}: exit {process.returncode}\n{err}"
    return out


def write(path, text):
    pathlib.Path(path).write_text(text, encoding="utf-8")


class Check:
    def __init__(self, schemas):
        self.schemas = schemas

    def printed(self, verb, *words, **options):
        """`sweep VERB ... --json` prints one value by its schema; returns it."""
        value = json.loads(call(verb, *words, "--json", **options))
        self.schemas[verb].accept(value, f"sweep {verb} {' '.join(words)}")
        return value

    def answered(self, name, trainer, *words):
        done = subprocess.run([trainer, *words], check=True, capture_output=True, text=True)
        self.schemas[name].accept(json.loads(done.stdout), f"{trainer} {words}")

    def worker_protocol(self, trainer, folder):
        self.results(folder)
        config = next(pathlib.Path(folder).glob("runs/*/config.json"))
        self.answered("identity", trainer, "--identity")
        self.answered("probe", trainer, "--probe", config)

    def results(self, folder):
        for path in sorted(pathlib.Path(folder).glob("runs/*/result.json")):
            self.schemas["result"].accept(json.loads(path.read_text(encoding="utf-8")), path)

    def every_verb_has_one(self):
        verbs = [line.split()[0] for line in call("--help").splitlines() if line.startswith("  ")]
        printing = {verb for verb in verbs if "--json" in call(verb, "--help")}
        assert printing | OF_TRAINERS == set(self.schemas), f"--json: {printing}, schemas: {set(self.schemas)}"

    def goldens(self):
        """The literal reports of the other tests; they leave the tables out."""
        folder = ROOT / "tests/golden/report"
        small, inside = (json.loads((folder / name).read_text(encoding="utf-8"))
                         for name in ("small.json", "mechanism.json"))
        small["tables"] = []
        self.schemas["report"].accept(small, "small.json")
        return {**small, **inside}

    def before_training(self):
        write("study.yaml", HEAD + ARMS + SWEEPS["defaults"])
        for words in ([], ["--no-probe"]):
            self.printed("plan", "study.yaml", *words)
        self.printed("rehearse", "study.yaml", "--sets", "5")
        for verb, words in (("plan", ["--no-probe"]), ("rehearse", ["--sets", "2"])):
            self.printed(verb, str(ROOT / "sweeps/qk_norm.yaml"), "--vocab", "100", *words)
        # 6: this machine lacks something. The stub is no trainer that could be examined.
        self.printed("doctor", codes=(0, 6))

    def status_of_every_kind(self):
        write("states.yaml", HEAD + ARMS + GRID)
        slow = {"step_ms": 20000, "runs": {"qknorm": {"how": "exit", "code": 2}}}
        process = start("run", "states.yaml", "-q", "-j", "1", STUB_BEHAVIOUR=json.dumps(slow))
        deadline = time.monotonic() + 120
        while True:
            assert time.monotonic() < deadline and process.poll() is None, "no run was seen at work"
            if os.path.exists("states.sweep/lock.json") and os.path.exists("states.sweep/plan.jsonl"):
                status = self.printed("status", "states.sweep")
                if status["active"] and status["owner"]:
                    break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate()
        status = self.printed("status", "states.sweep")
        assert status["interrupted"] and not status["active"], status
        call("resume", "states.sweep", "-q", codes=(1,), STUB_BEHAVIOUR=json.dumps({**slow, "step_ms": 0}))
        status = self.printed("status", "states.sweep")
        assert status["failures"] and status["finished"], status

    def reports_full_of_trouble(self):
        chance = random.Random(7)
        for name, yaml in SWEEPS.items():
            fake = Fake(SWEEP, STUB, name, yaml)
            self.results(fake.folder)
            for share_missing, share_nonfinite in [(0, 0), (0.1, 0.3), (0, 1), (1, 0)]:
                fake.make_up(chance, share_missing, share_nonfinite)
                self.results(fake.folder)
                self.printed("report", fake.folder, "--interim")

    def report_with_a_history(self):
        """All kinds of amendments, a note and an anchor; returns it."""
        study = HEAD + ARMS + GRID
        write("history.yaml", study)
        call("run", "history.yaml", "-q")
        call("note", "history.sweep", "a remark")
        call("anchor", "history.sweep", "--url", "https://example.org/tag/v1")
        words = study.replace("Do two", "Do the two")
        write("words.yaml", words)
        call("amend", "history.sweep", "words.yaml", "--editorial")
        write("wild.yaml", words.replace("[1e-2, 1e-1]", "[1]"))
        call("explore", "history.sweep", "wild.yaml", "--why", "how bad is 1?")
        reasons = ("--what", "a seed", "--why", "power", "--impact", "none")
        write("more.yaml", words.replace("seed: [1, 2]", "seed: [1, 2, 3]"))
        call("amend", "history.sweep", "more.yaml", *reasons)
        call("amend", "history.sweep", "--accept-numerics", *reasons, STUB_NUMERICS="elsewhere")
        call("resume", "history.sweep", "-q", STUB_NUMERICS="elsewhere")
        self.worker_protocol(STUB, "history.sweep")
        report = self.printed("report", "history.sweep")
        kinds = [amendment["kind"] for amendment in report["amendments"]]
        assert kinds == ["editorial", "exploratory", "change", "numerics"] and report["anchors"], kinds
        call("report", "history.sweep")
        written = json.loads(pathlib.Path("history.sweep/report/report.json").read_text(encoding="utf-8"))
        self.schemas["report"].accept(written, "report.json")
        return report

    def with_the_true_trainer(self):
        write("tiny.yaml", HEAD + ARMS + GRID)
        brief = ("--seconds", "0.1")
        self.printed("bench", "S", *brief, "--path", "plain", trainer=TRAINER)
        self.printed("bench", "S", *brief, "--processes", "2", trainer=TRAINER)
        self.printed("bench", "tiny.yaml", *brief, trainer=TRAINER)
        self.printed("doctor", codes=(0, 6), trainer=TRAINER)
        self.printed("plan", "tiny.yaml", trainer=TRAINER)
        call("run", "tiny.yaml", "-q", trainer=TRAINER)
        self.printed("report", "tiny.sweep")
        self.worker_protocol(TRAINER, "tiny.sweep")
        self.answered("examination", TRAINER, "--examine")


def main():
    schemas = read_schemas(ROOT)
    for schema in schemas.values():
        schema.check_itself()
    check = Check(schemas)
    check.every_verb_has_one()
    golden = check.goldens()
    check.before_training()
    check.status_of_every_kind()
    check.reports_full_of_trouble()
    report = check.report_with_a_history()
    if TRAINER:
        check.with_the_true_trainer()
    for schema in schemas.values():
        print(f"{schema.name}: {schema.accepted} values accepted")
    for name, schema in schemas.items():
        if name != "report":
            schema.check_it_refuses(schema.schema["examples"][0])
    # Of the real report what the golden one lacks.
    keys = ("amendments", "touched", "notes", "anchors")
    schemas["report"].check_it_refuses({**golden, **{key: report[key] for key in keys},
                                        "tables": report["tables"][:1]})


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
        os.chdir(ROOT)
