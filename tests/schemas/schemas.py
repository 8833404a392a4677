"""The JSON Schemas of docs/schemas, and what is asked of them."""

import json
import pathlib

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

# Of what a trainer writes and answers; all others are named for the verb that prints it.
OF_TRAINERS = {"result", "identity", "probe", "examination"}


def parts_of(schema):
    """Every schema within it, itself among them; what merely looks like one is no part."""
    if isinstance(schema, dict):
        yield schema
        for key, part in schema.items():
            if key not in ("const", "enum", "examples", "required", "dependentRequired"):
                yield from parts_of(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from parts_of(part)


def is_of_objects(schema):
    types = schema.get("type", [])
    return "object" in ([types] if isinstance(types, str) else types)


def spoiled(value):
    """The value, once for each place in it, with something there that is allowed nowhere."""
    seen = set()

    def visit(node, path):
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            place = (*path, key if isinstance(node, dict) else "*")
            member = node[key]
            if place not in seen:
                seen.add(place)
                node[key] = [[{}]]
                yield "/".join(place), value
                node[key] = member
            if isinstance(member, (dict, list)):
                yield from visit(member, place)

    yield from visit(value, ())


class Schema:
    def __init__(self, path):
        self.name = path.name.removesuffix(".schema.json")
        self.schema = json.loads(path.read_text(encoding="utf-8"))
        self.validator = Draft202012Validator(self.schema)
        self.accepted = 0

    def accept(self, value, what):
        error = best_match(self.validator.iter_errors(value))
        assert error is None, f"{what} is not what {self.name}.schema.json says: {error.json_path}: {error.message}"
        self.accepted += 1

    def refuse(self, value, what):
        assert not self.validator.is_valid(value), f"{self.name}.schema.json lets it pass: {what}"

    def is_described(self, member):
        name = member.get("$ref", "").removeprefix("#/$defs/")
        return "description" in member or "description" in self.schema.get("$defs", {}).get(name, {})

    def check_itself(self):
        """It is one, allows no unknown key, and says what each key is."""
        Draft202012Validator.check_schema(self.schema)
        for part in filter(is_of_objects, parts_of(self.schema)):
            assert part.get("additionalProperties", True) not in (True, {}), f"{self.name}: allows any key: {part}"
            for key, member in part.get("properties", {}).items():
                assert self.is_described(member), f"{self.name}: {key} is not described"
        for example in self.schema.get("examples", []):
            self.accept(example, "an example")

    def check_it_refuses(self, value):
        """The value, which it accepts, with a key renamed or a member of another kind."""
        self.accept(value, "the value to be spoiled")
        for key in value:
            renamed = {f"{name}_" if name == key else name: member for name, member in value.items()}
            self.refuse(renamed, f"{key} renamed")
        places = 0
        for place, other in spoiled(value):
            self.refuse(other, f"[[{{}}]] as {place}")
            places += 1
        print(f"{self.name}: {len(value)} renamed keys and {places} members of another kind are refused")


def read_schemas(root: pathlib.Path):
    paths = sorted((root / "docs/schemas").glob("*.schema.json"))
    return {schema.name: schema for schema in map(Schema, paths)}
