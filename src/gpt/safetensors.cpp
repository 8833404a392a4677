#include "gpt/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "sweep/base/error.h"
#include "sweep/base/json.h"

namespace sweep {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kAlignment = 8;
constexpr const char* kMetadataKey = "__metadata__";

std::size_t item_size(std::string_view dtype) {
  if (dtype == "F32") return 4;
  if (dtype == "F64") return 8;
  return 0;
}

std::string header_of(std::span<const TensorBytes> tensors, const Metadata& metadata) {
  Json header = Json::object();
  for (const auto& [key, value] : metadata) header[kMetadataKey][key] = value;
  std::size_t begin = 0;
  for (const TensorBytes& tensor : tensors) {
    const std::size_t end = begin + tensor.bytes.size();
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = to_line(header);
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return text;
}

/// Reads one file; its member functions throw with the file's name.
class Parser {
 public:
  Parser(std::string bytes, const std::string& source)
      : source_(source), bytes_(std::make_shared<const std::string>(std::move(bytes))) {}

  Safetensors parse() {
    const Json header = read_header();
    Safetensors file;
    for (const auto& [name, entry] : header.items()) {
      if (name == kMetadataKey) {
        file.metadata = read_metadata(entry);
      } else {
        file.tensors.push_back(read_tensor(name, entry));
      }
    }
    std::stable_sort(file.tensors.begin(), file.tensors.end(),
                     [](const auto& a, const auto& b) { return a.bytes.data() < b.bytes.data(); });
    check_no_gaps(file.tensors);
    return file;
  }

 private:
  [[noreturn]] void damaged(std::string_view why) const {
    fail(ExitCode::kBadInput, "{} is not a whole safetensors file: {}", source_, why);
  }

  Json read_header() {
    if (bytes_->size() < kLengthBytes) damaged("shorter than its header length");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes_->data(), kLengthBytes);
    if (length > bytes_->size() - kLengthBytes) damaged("shorter than its header");
    const std::string_view text(bytes_->data() + kLengthBytes, static_cast<std::size_t>(length));
    payload_ = std::string_view(*bytes_).substr(kLengthBytes + text.size());
    Json header = Json::parse(text.begin(), text.end(), nullptr, false);
    if (!header.is_object()) damaged("its header is not a JSON object");
    return header;
  }

  Metadata read_metadata(const Json& entries) const {
    if (!entries.is_object()) damaged("its metadata is not an object");
    Metadata metadata;
    for (const auto& [key, value] : entries.items()) {
      if (!value.is_string()) damaged("a metadata value is not a text");
      metadata.emplace_back(key, value.get<std::string>());
    }
    return metadata;
  }

  std::uint64_t read_count(const Json& value) const {
    if (!value.is_number_unsigned()) damaged("a shape or offset is not a count");
    return value.get<std::uint64_t>();
  }

  TensorBytes read_tensor(const std::string& name, const Json& entry) const {
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() ||
        !entry.contains("shape") || !entry["shape"].is_array() || !entry.contains("data_offsets") ||
        !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2) {
      damaged("an entry lacks dtype, shape or data_offsets");
    }
    TensorBytes tensor{name, entry["dtype"].get<std::string>(), {}, {}, bytes_};
    std::uint64_t size = item_size(tensor.dtype);
    if (size == 0) damaged("a tensor is neither F32 nor F64");
    for (const Json& extent : entry["shape"]) {
      const std::uint64_t count = read_count(extent);
      // Bounded by the file, so that the product cannot overflow.
      if (count > payload_.size()) damaged("a shape is larger than the file");
      size *= count;
      if (size > payload_.size()) damaged("a tensor is larger than the file");
      tensor.shape.push_back(static_cast<std::int64_t>(count));
    }
    const std::uint64_t begin = read_count(entry["data_offsets"][0]);
    const std::uint64_t end = read_count(entry["data_offsets"][1]);
    if (begin > end || end > payload_.size()) damaged("a tensor reaches beyond the end");
    if (end - begin != size) damaged("a tensor's size does not follow from its shape");
    tensor.bytes = payload_.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
    return tensor;
  }

  void check_no_gaps(const std::vector<TensorBytes>& tensors) const {
    const char* expected = payload_.data();
    for (const TensorBytes& tensor : tensors) {
      if (tensor.bytes.data() != expected) damaged("its tensors overlap or leave a gap");
      expected += tensor.bytes.size();
    }
    if (expected != payload_.data() + payload_.size()) damaged("bytes follow the last tensor");
  }

  std::string source_;
  std::shared_ptr<const std::string> bytes_;
  std::string_view payload_;
};

}  // namespace

std::string write_safetensors(std::span<const TensorBytes> tensors, const Metadata& metadata) {
  const std::string header = header_of(tensors, metadata);
  std::size_t total = kLengthBytes + header.size();
  for (const TensorBytes& tensor : tensors) total += tensor.bytes.size();
  const std::uint64_t length = header.size();
  std::string bytes(kLengthBytes, '\0');
  std::memcpy(bytes.data(), &length, kLengthBytes);
  bytes.reserve(total);
  bytes += header;
  for (const TensorBytes& tensor : tensors) bytes += tensor.bytes;
  return bytes;
}

const TensorBytes* Safetensors::find(std::string_view name) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const TensorBytes& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

std::string Safetensors::metadata_value(std::string_view key) const {
  for (const auto& [name, value] : metadata) {
    if (name == key) return value;
  }
  return "";
}

Safetensors parse_safetensors(std::string bytes, const std::string& source) {
  return Parser(std::move(bytes), source).parse();
}

}  // namespace sweep
