#include "prereg/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

bool continues(std::string_view text, std::size_t i) { return (byte_at(text, i) & 0xC0U) == 0x80U; }

/// Bytes of the UTF-8 character at `i`, 0 when there is none (RFC 3629: shortest form, no
/// surrogates, at most U+10FFFF).
std::size_t character_length(std::string_view text, std::size_t i) {
  const unsigned lead = byte_at(text, i);
  const unsigned second = byte_at(text, i + 1);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || !continues(text, i + 1)) return 0;
  if (lead < 0xE0) return 2;
  if (!continues(text, i + 2)) return 0;
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return 0;
  if (lead < 0xF0) return 3;
  if (!continues(text, i + 3)) return 0;
  if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
  return 4;
}

bool is_control(unsigned byte) {
  return (byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7F;
}

/// Walks over the text once, keeping the place.
class TextScan {
 public:
  TextScan(std::string_view text, Diagnostics& diagnostics)
      : text_(text), diagnostics_(diagnostics) {}

  std::optional<std::string> run() {
    take_byte_order_mark();
    while (i_ < text_.size() && readable_) step();
    report_carriage_returns();
    if (!readable_ || !structure_sound_) return std::nullopt;
    return std::move(clean_);
  }

 private:
  void take_byte_order_mark() {
    if (text_.substr(0, kByteOrderMark.size()) != kByteOrderMark) return;
    diagnostics_.problem({1, 1}, "", "the file begins with a byte order mark: save it without one");
    i_ = kByteOrderMark.size();
  }

  void step() {
    const unsigned byte = byte_at(text_, i_);
    const std::size_t length = character_length(text_, i_);
    if (length == 0) {
      stop(fmt::format("byte 0x{:02X} is not UTF-8 text: save the file as UTF-8", byte));
    } else if (is_control(byte)) {
      stop(fmt::format("control character 0x{:02X}: remove it", byte));
    } else if (byte == '\t') {
      take_tab();
    } else if (byte == '\r') {
      take_carriage_return();
    } else {
      take(text_.substr(i_, length));
    }
  }

  void stop(std::string message) {
    diagnostics_.problem(place_, "", std::move(message));
    readable_ = false;
  }

  void take(std::string_view bytes) {
    clean_ += bytes;
    i_ += bytes.size();
    if (bytes == "\n") {
      place_ = {place_.line + 1, 1};
      indentation_ = true;
    } else {
      place_.column += static_cast<int>(bytes.size());
      indentation_ = indentation_ && bytes == " ";
    }
  }

  /// A tab between words is as good as a space; in the indentation it could mean any depth.
  void take_tab() {
    diagnostics_.problem(place_, "", "a tab: use spaces");
    structure_sound_ = structure_sound_ && !indentation_;
    take_as_space();
  }

  void take_as_space() {
    clean_ += ' ';
    ++i_;
    ++place_.column;
  }

  void take_carriage_return() {
    if (++carriage_returns_ == 1) first_carriage_return_ = place_;
    take_as_space();
  }

  void report_carriage_returns() {
    if (carriage_returns_ == 0) return;
    diagnostics_.problem(first_carriage_return_, "",
                         fmt::format("Windows line ends (CRLF, {}): save the file with LF",
                                     count_of(carriage_returns_, "line")));
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::string clean_;
  std::size_t i_ = 0;
  Place place_ = {1, 1};
  Place first_carriage_return_;
  std::size_t carriage_returns_ = 0;
  bool indentation_ = true;
  bool readable_ = true;
  bool structure_sound_ = true;
};

}  // namespace

std::optional<std::string> checked_text(std::string_view text, Diagnostics& diagnostics) {
  return TextScan(text, diagnostics).run();
}

}  // namespace sweep
