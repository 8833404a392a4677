#pragma once

#include <cstdint>

namespace sweep {

/// Element (i, k) of a matrix at data[i * row + k * column]: row-major, or transposed.
struct Strided {
  const float* data;
  std::int64_t row;
  std::int64_t column;
};

/// Rows that lie one after another, `stride` numbers apart.
struct RowMajor {
  float* data;
  std::int64_t stride;
};

/// Panels of 48 columns, the last filled up with zeros: element (k, j) lies at
/// data[j / 48 * 48 * depth + k * 48 + j % 48].
struct Panels {
  const float* data;
  std::int64_t depth;
  std::int64_t columns;
};
inline constexpr std::int64_t kPanelColumns = 48;

/// Numbers that a (depth x columns) matrix takes as panels.
std::int64_t panel_size(std::int64_t depth, std::int64_t columns);

/// Writes b (depth x columns) as panels.
Panels pack_panels(const Strided& b, std::int64_t depth, std::int64_t columns, float* to);

/// What becomes of a product.
enum class Into {
  kSet,  ///< c = a b
  kAdd   ///< c = c + a b
};

/// The product of a (rows x depth) with panels. Every element is a chain of fused multiply-adds in
/// the order of k, in blocks of `kChain` whose sums are added in their order: its bits depend
/// neither on the instruction set nor on how rows and columns are cut. A NaN or an infinity in a
/// row of `a` or a column of `b` comes out in that row or column.
void multiply(const Strided& a, std::int64_t rows, const Panels& b, const RowMajor& c, Into into);
inline constexpr std::int64_t kChain = 512;

}  // namespace sweep
