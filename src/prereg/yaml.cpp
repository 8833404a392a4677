#include "prereg/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <sstream>
#include <utility>

namespace sweep {
namespace {

Place place_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

/// What the parser's terse messages mean for the person who typed the text.
std::string explain(const std::string& message) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kMeanings = {{
      {"end of sequence flow not found",
       "a list in [ ] is not closed before this place: is a comma or ']' missing?"},
      {"end of map flow not found",
       "a map in { } is not closed before this place: is a comma or '}' missing?"},
      {"illegal map value",
       "a ':' where no value can stand: two keys on one line, a wrong indentation, or a text with "
       "': ' that needs quotes"},
      {"illegal map key", "a '?' where no key can stand: put it in quotes"},
      {"illegal flow end", "a bracket closes here that is not the one last opened"},
      {"illegal block entry", "a '-' where no list item can stand: check the indentation"},
      {"unknown token", "no value can begin with this character: put the text in quotes"},
      {"end of map not found", "this line's indentation fits none of the lines before"},
      {"end of sequence not found", "this line's indentation fits none of the lines before"},
      {"the referenced anchor is not defined", "aliases (*name) are not used here: write it out"},
      {"bad file", "lists or maps stand too deep in one another"},
  }};
  for (const auto& [terse, meaning] : kMeanings) {
    if (message == terse) return std::string(meaning);
  }
  return "YAML syntax: " + message;
}

/// Whether the quoted scalar that begins at `start` is closed; the parser takes the end of the file
/// for a quote.
bool quote_is_closed(const std::string& text, std::size_t start) {
  const char quote = text[start];
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    const bool doubled = quote == '\'' && text[i] == quote && text.substr(i, 2) == "''";
    const bool escaped = quote == '"' && text[i] == '\\';
    if (doubled || escaped) {
      ++i;
    } else if (text[i] == quote) {
      return true;
    }
  }
  return false;
}

/// Builds the tree out of the parser's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& text, Diagnostics& diagnostics)
      : text_(text), diagnostics_(diagnostics) {}

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_decoration(mark, "?", anchor);
    finish(begin(YamlNode::Kind::kEmpty, mark));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    diagnostics_.problem(place_of(mark), "", "aliases (*name) are not used here: write it out");
    finish(begin(YamlNode::Kind::kEmpty, mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_decoration(mark, tag, anchor);
    YamlNode node = begin(YamlNode::Kind::kScalar, mark);
    node.text = value;
    node.plain = tag == "?";
    if (!node.plain) refuse_open_quote(mark);
    finish(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_decoration(mark, tag, anchor);
    open_.push_back({begin(YamlNode::Kind::kList, mark), std::nullopt, {}});
  }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_decoration(mark, tag, anchor);
    open_.push_back({begin(YamlNode::Kind::kMap, mark), std::nullopt, {}});
  }

  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  /// A list or map whose end has not come; a map's key whose value has not come.
  struct Open {
    YamlNode node;
    std::optional<std::string> key;
    Place key_place;
  };

  static YamlNode begin(YamlNode::Kind kind, const YAML::Mark& mark) {
    YamlNode node;
    node.kind = kind;
    node.place = place_of(mark);
    return node;
  }

  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    finish(std::move(node));
  }

  void finish(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (Open& parent = open_.back(); parent.node.kind == YamlNode::Kind::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      take_key(parent, node);
    } else {
      add_entry(parent, std::move(node));
    }
  }

  void take_key(Open& parent, const YamlNode& node) {
    if (node.kind != YamlNode::Kind::kScalar) {
      diagnostics_.problem(node.place, "", "a key must be a word");
    }
    parent.key = node.text;
    parent.key_place = node.place;
  }

  void add_entry(Open& parent, YamlNode node) {
    const std::string key = *std::exchange(parent.key, std::nullopt);
    if (key.empty()) return;
    if (key == "<<") {
      diagnostics_.problem(parent.key_place, key, "merge keys are not used here: write it out");
      return;
    }
    // The parser gives an empty value the place of whatever comes next.
    if (node.kind == YamlNode::Kind::kEmpty) node.place = parent.key_place;
    for (const YamlEntry& entry : parent.node.entries) {
      if (entry.key != key) continue;
      diagnostics_.problem(parent.key_place, key,
                           fmt::format("stands in line {} already", entry.place.line));
      return;
    }
    parent.node.entries.push_back({key, parent.key_place, std::move(node)});
  }

  void refuse_decoration(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) {
      diagnostics_.problem(place_of(mark), "", "anchors (&name) are not used here: remove it");
    }
    if (tag != "?" && tag != "!") {
      diagnostics_.problem(place_of(mark), "", "tags (!name) are not used here: remove it");
    }
  }

  void refuse_open_quote(const YAML::Mark& mark) {
    const auto start = static_cast<std::size_t>(mark.pos);
    if (start >= text_.size() || (text_[start] != '\'' && text_[start] != '"')) return;
    if (quote_is_closed(text_, start)) return;
    diagnostics_.problem(place_of(mark), "", "this quote is never closed");
  }

  const std::string& text_;
  Diagnostics& diagnostics_;
  std::vector<Open> open_;
  YamlNode root_;
};

/// Notes where a second document begins and takes nothing of it.
class SecondDocument : public YAML::EventHandler {
 public:
  std::optional<Place> place;

  void OnDocumentStart(const YAML::Mark& mark) override { place = place_of(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

void refuse_second_document(YAML::Parser& parser, Diagnostics& diagnostics) {
  SecondDocument second;
  try {
    parser.HandleNextDocument(second);
  } catch (const YAML::Exception& e) {
    if (!second.place) second.place = place_of(e.mark);
  }
  if (!second.place) return;
  diagnostics.problem(*second.place, "",
                      "a second document begins here: one file is one pre-registration (or this "
                      "line is indented less than the first)");
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const YamlEntry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

std::optional<YamlNode> parse_yaml(const std::string& text, Diagnostics& diagnostics) {
  std::istringstream stream(text);
  TreeBuilder builder(text, diagnostics);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      diagnostics.problem({1, 1}, "", "the file is empty");
      return std::nullopt;
    }
    refuse_second_document(parser, diagnostics);
  } catch (const YAML::Exception& e) {
    diagnostics.problem(place_of(e.mark), "", explain(e.msg));
    return std::nullopt;
  }
  return builder.take();
}

}  // namespace sweep
