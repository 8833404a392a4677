#include <fmt/format.h>

#include "report/text_layout.h"
#include "sweep/base/text.h"
#include "sweep/report/table.h"

namespace sweep {
namespace {

std::string markdown_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '<') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string markdown_row(const std::vector<std::string>& texts) {
  return "| " + join(texts, " | ") + " |\n";
}

std::string plain(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return format_number(value.get<double>());
  if (!value.is_array()) return value.dump();
  std::vector<std::string> parts;
  for (const Json& part : value) parts.push_back(part.is_null() ? "null" : plain(part));
  return join(parts, " ");
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string to_markdown(const Table& table) {
  std::string text = fmt::format("## {}\n\n", markdown_escaped(table.title));
  if (!table.stamp.empty()) text += fmt::format("**{}**\n\n", table.stamp);
  std::vector<std::string> titles;
  std::vector<std::string> rules;
  const auto shown = shown_columns(table);
  for (const std::size_t column : shown) {
    titles.push_back(markdown_escaped(full_title(table.columns[column])));
    rules.emplace_back(table.columns[column].align == Align::kLeft ? ":--" : "--:");
  }
  text += markdown_row(titles) + markdown_row(rules);
  for (const auto& row : table.rows) {
    std::vector<std::string> texts;
    for (const std::size_t column : shown) texts.push_back(markdown_escaped(row[column].text));
    text += markdown_row(texts);
  }
  return table.note.empty() ? text : text + "\n" + markdown_escaped(table.note) + "\n";
}

std::string to_csv(const Table& table) {
  std::vector<std::string> fields;
  for (const Column& column : table.columns) fields.push_back(csv_field(column.key));
  if (!table.amendments.empty()) fields.emplace_back("amendments");
  if (!table.stamp.empty()) fields.emplace_back("stamp");
  std::string text = join(fields, ",") + "\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    fields.clear();
    for (const TableCell& cell : table.rows[i]) fields.push_back(csv_field(plain(cell.value)));
    if (!table.amendments.empty()) fields.push_back(csv_field(plain(table.amendments[i])));
    if (!table.stamp.empty()) fields.push_back(csv_field(table.stamp));
    text += join(fields, ",") + "\n";
  }
  return text;
}

Json to_json(const Table& table) {
  Json json = {{"name", table.name}, {"title", table.title}, {"note", table.note}};
  if (!table.stamp.empty()) json["stamp"] = table.stamp;
  json["columns"] = Json::array();
  for (const Column& column : table.columns) json["columns"].push_back(column.key);
  json["rows"] = Json::array();
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const auto& row = table.rows[r];
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i].key] = row[i].value;
    const bool touched = !table.amendments.empty() && !table.amendments[r].empty();
    if (touched) object["amendments"] = table.amendments[r];
    json["rows"].push_back(std::move(object));
  }
  return json;
}

}  // namespace sweep
