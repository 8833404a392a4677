"""The part of YAML that pre-registrations are written in: block and flow maps and lists, plain and
quoted words, folded text. Anchors, tags, multi-line plain words and documents are not read."""

import json
import re

NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


def scalar(text):
    text = text.strip()
    if text[:1] == '"':
        return json.loads(text)
    if text[:1] == "'":
        return text[1:-1].replace("''", "'")
    if text in WORDS:
        return WORDS[text]
    if NUMBER.fullmatch(text):
        return float(text) if re.search(r"[.eE]", text) else int(text)
    return text


def without_comment(line):
    quote = None
    for i, letter in enumerate(line):
        if quote:
            quote = None if letter == quote else quote
        elif letter in "\"'" and (i == 0 or line[i - 1] in " ,[{:"):
            quote = letter
        elif letter == "#" and (i == 0 or line[i - 1] in " \t"):
            return line[:i].rstrip()
    return line.rstrip()


class Flow:
    """{...} and [...]."""

    def __init__(self, text):
        self.text = text
        self.at = 0

    def value(self):
        self._skip_space()
        if self.text[self.at] == "{":
            return self._map()
        if self.text[self.at] == "[":
            return self._list()
        return scalar(self._word(",]}"))

    def _skip_space(self):
        while self.at < len(self.text) and self.text[self.at] in " \n":
            self.at += 1

    def _word(self, ends):
        start, quote = self.at, None
        while self.at < len(self.text):
            letter = self.text[self.at]
            if quote:
                quote = None if letter == quote else quote
            elif letter in "\"'" and not self.text[start:self.at].strip():
                quote = letter
            elif letter in ends and (letter != ":" or self.text[self.at + 1: self.at + 2] in (" ", "", "\n")):
                break
            self.at += 1
        return self.text[start:self.at]

    def _map(self):
        found = {}
        for _ in self._entries("}"):
            key = scalar(self._word(":"))
            self.at += 1
            found[key] = self.value()
        return found

    def _list(self):
        return [self.value() for _ in self._entries("]")]

    def _entries(self, end):
        self.at += 1
        while True:
            self._skip_space()
            if self.text[self.at] == end:
                self.at += 1
                return
            yield
            self._skip_space()
            if self.text[self.at] == ",":
                self.at += 1


class Block:
    def __init__(self, text):
        self.lines = text.split("\n")
        self.at = 0

    def _peek(self):
        """Indent and text of the next line that says something; (-1, "") at the end."""
        while self.at < len(self.lines):
            text = without_comment(self.lines[self.at])
            if text.strip():
                return len(text) - len(text.lstrip()), text.strip()
            self.at += 1
        return -1, ""

    def value(self, least):
        indent, text = self._peek()
        if indent < least:
            return None
        if text[0] in "{[":
            return self._flow("")
        if text.startswith("- "):
            return self._list(indent)
        return self._map(indent)

    def _map(self, indent):
        found = {}
        while True:
            here, text = self._peek()
            if here != indent:
                return found
            key, rest = re.match(r"(\"[^\"]*\"|'[^']*'|[^:]+(?::\S[^:]*)*):(?:\s+(.*))?$", text).groups()
            self.at += 1
            found[scalar(key)] = self._after(rest or "", indent)

    def _after(self, rest, indent):
        if rest[:1] in ("{", "["):
            return self._flow(rest)
        if rest[:1] in (">", "|"):
            return self._folded(indent)
        if rest:
            return scalar(rest)
        here, text = self._peek()
        return self.value(indent if text.startswith("- ") else indent + 1) if here >= indent else None

    def _list(self, indent):
        found = []
        while True:
            here, text = self._peek()
            if here != indent or not text.startswith("- "):
                return found
            item = text[2:].strip()
            if item[0] in "{[":
                self.at += 1
                found.append(self._flow(item))
            elif re.match(r"[^\"'{\[]+:(\s|$)", item):
                self.lines[self.at] = " " * (indent + 2) + item
                found.append(self._map(indent + 2))
            else:
                self.at += 1
                found.append(scalar(item))

    def _folded(self, indent):
        words = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                break
            words.append(line.strip())
            self.at += 1
        return " ".join(words).strip()

    def _flow(self, text):
        while not text or text.count("{") + text.count("[") > text.count("}") + text.count("]"):
            text += "\n" + without_comment(self.lines[self.at]).strip()
            self.at += 1
        return Flow(text.strip()).value()


def parse(text):
    return Block(text).value(0)
