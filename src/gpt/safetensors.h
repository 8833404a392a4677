#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sweep {

/// One tensor as it lies in a safetensors file: little-endian, row-major, contiguous.
struct TensorBytes {
  std::string name;
  std::string dtype;  ///< "F32" or "F64"
  std::vector<std::int64_t> shape;
  std::string_view bytes;
  std::shared_ptr<const void> owner;  ///< keeps `bytes` alive
};

using Metadata = std::vector<std::pair<std::string, std::string>>;

/// A safetensors file (huggingface/safetensors, "Format"): 8 bytes of header length, a JSON header
/// padded with spaces to a multiple of 8, then the tensors one after another in the order given.
std::string write_safetensors(std::span<const TensorBytes> tensors, const Metadata& metadata);

struct Safetensors {
  std::vector<TensorBytes> tensors;  ///< in the order of their bytes
  Metadata metadata;

  /// nullptr when there is no such tensor.
  [[nodiscard]] const TensorBytes* find(std::string_view name) const;
  /// "" when there is no such entry.
  [[nodiscard]] std::string metadata_value(std::string_view key) const;
};

/// Reads what `write_safetensors` (or any other writer) wrote. Throws `Error` (`kBadInput`), naming
/// `source`, for a header that does not fit the file, other types than F32 and F64, a size that
/// does not follow from the shape, and tensors that overlap, leave a gap or reach beyond the end.
Safetensors parse_safetensors(std::string bytes, const std::string& source);

}  // namespace sweep
