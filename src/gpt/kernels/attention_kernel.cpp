// Causal attention, one (sequence, head) after another, so that all of it stays in the cache.
// Rows are taken eight at a time and their keys only up to the diagonal; every product of the seven
// is the same outer-product kernel. Tiles are padded with zeros to whole lanes and whole blocks of
// rows, so there are no remainders to treat.
#include "gpt/kernels/attention_kernel.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gpt/kernels/exponential.h"
#include "gpt/kernels/lanes.h"

namespace sweep {
namespace {

constexpr std::int64_t kGroup = 8;   // rows of one outer product
constexpr std::int64_t kBlock = 32;  // rows before dk and dv are added to

/// Element (i, j) of a matrix at data[i * row + j * column].
template <typename T>
struct Matrix {
  T* data;
  std::int64_t row;
  std::int64_t column;
};

/// c (8 x lanes) = or += a (8 x depth) b (depth x lanes).
template <typename T>
void outer_product(Matrix<const T> a, const T* b, std::int64_t b_row, std::int64_t depth, T* c,
                   std::int64_t c_row, bool add) {
  Lanes<T> sum[kGroup] = {};
  if (add) {
    for (std::int64_t r = 0; r < kGroup; ++r) sum[r] = load(c + r * c_row);
  }
  for (std::int64_t k = 0; k < depth; ++k) {
    const Lanes<T> factor = load(b + k * b_row);
    for (std::int64_t r = 0; r < kGroup; ++r) {
      sum[r] += a.data[r * a.row + k * a.column] * factor;
    }
  }
  for (std::int64_t r = 0; r < kGroup; ++r) store(c + r * c_row, sum[r]);
}

template <typename T>
void product(Matrix<const T> a, const T* b, std::int64_t b_row, std::int64_t rows,
             std::int64_t columns, std::int64_t depth, T* c, std::int64_t c_row, bool add) {
  for (std::int64_t i = 0; i < rows; i += kGroup) {
    for (std::int64_t j = 0; j < columns; j += kLanes<T>) {
      outer_product<T>({a.data + i * a.row, a.row, a.column}, b + j, b_row, depth,
                       c + i * c_row + j, c_row, add);
    }
  }
}

/// Scratch arrays for one head.
template <typename T>
struct Tiles {
  explicit Tiles(const AttentionShape& attention)
      : rows((attention.length + kBlock - 1) / kBlock * kBlock),
        columns(whole_lanes<T>(attention.head_size)),
        shape(attention) {}

  [[nodiscard]] std::vector<T> rows_by_columns() const {
    return std::vector<T>(static_cast<std::size_t>(rows * columns));
  }
  [[nodiscard]] std::vector<T> block_by_rows() const {
    return std::vector<T>(static_cast<std::size_t>(kBlock * rows));
  }

  std::int64_t rows;     // T, whole blocks
  std::int64_t columns;  // Dh, whole lanes
  const AttentionShape& shape;
};

template <typename T>
T* head_of(const Heads<T>& heads, const AttentionShape& shape, std::int64_t index) {
  return heads.data + index / shape.heads * heads.batch_stride +
         index % shape.heads * heads.head_stride;
}

template <typename T>
void copy_in(const Tiles<T>& tiles, const Heads<const T>& heads, std::int64_t index,
             std::vector<T>& tile) {
  const T* from = head_of(heads, tiles.shape, index);
  for (std::int64_t i = 0; i < tiles.shape.length; ++i) {
    std::memcpy(&tile[static_cast<std::size_t>(i * tiles.columns)], from + i * heads.row_stride,
                static_cast<std::size_t>(tiles.shape.head_size) * sizeof(T));
  }
}

template <typename T>
void copy_out(const Tiles<T>& tiles, const std::vector<T>& tile, const Heads<T>& heads,
              std::int64_t index) {
  T* to = head_of(heads, tiles.shape, index);
  for (std::int64_t i = 0; i < tiles.shape.length; ++i) {
    std::memcpy(to + i * heads.row_stride, &tile[static_cast<std::size_t>(i * tiles.columns)],
                static_cast<std::size_t>(tiles.shape.head_size) * sizeof(T));
  }
}

template <typename T>
void transpose(const Tiles<T>& tiles, const T* from, T* to) {
  for (std::int64_t i = 0; i < tiles.rows; ++i) {
    for (std::int64_t d = 0; d < tiles.columns; ++d) {
      to[d * tiles.rows + i] = from[i * tiles.columns + d];
    }
  }
}

/// Logits of the keys after row i's own, up to `end`, become minus infinity.
template <typename T>
void mask_future(T* logits, std::int64_t i, std::int64_t end) {
  for (std::int64_t j = i + 1; j < end; ++j) logits[j] = -std::numeric_limits<T>::infinity();
}

/// Turns a row of n logits into exp(scale (logit - largest)); returns their sum.
template <typename T>
T exponentiate(T* row, std::int64_t n, T scale, T& log_sum) {
  Lanes<T> most = load(row);
  for (std::int64_t j = kLanes<T>; j < n; j += kLanes<T>) {
    const Lanes<T> logits = load(row + j);
    most = logits > most ? logits : most;
  }
  const T largest = largest_of<T>(most);
  Lanes<T> sums = {};
  for (std::int64_t j = 0; j < n; j += kLanes<T>) {
    const Lanes<T> p = exponential<T>((load(row + j) - largest) * scale);
    store(row + j, p);
    sums += p;
  }
  const T sum = sum_of<T>(sums);
  log_sum = scale * largest + std::log(sum);
  return sum;
}

template <typename T>
void forward(const AttentionShape& shape, T scale, const Heads<const T>& q, const Heads<const T>& k,
             const Heads<const T>& v, const Heads<T>& out, T* log_sum, std::int64_t first,
             std::int64_t last) {
  const Tiles<T> tiles(shape);
  std::vector<T> qs = tiles.rows_by_columns(), ks = qs, vs = qs, outs = qs, kt = qs;
  std::vector<T> weights = tiles.block_by_rows();
  const std::int64_t columns = tiles.columns;
  for (std::int64_t index = first; index < last; ++index) {
    copy_in(tiles, q, index, qs);
    copy_in(tiles, k, index, ks);
    copy_in(tiles, v, index, vs);
    transpose(tiles, ks.data(), kt.data());
    for (std::int64_t i = 0; i < tiles.rows; i += kGroup) {
      const std::int64_t seen = i + kGroup;
      const std::int64_t n = whole_lanes<T>(seen);
      product<T>({&qs[i * columns], columns, 1}, kt.data(), tiles.rows, kGroup, n, columns,
                 weights.data(), n, false);
      T scales[kGroup];
      for (std::int64_t r = 0; r < kGroup; ++r) {
        T* row = &weights[r * n];
        mask_future(row, i + r, n);
        T row_log_sum;
        scales[r] = 1 / exponentiate(row, n, scale, row_log_sum);
        if (i + r < shape.length) log_sum[index * shape.length + i + r] = row_log_sum;
      }
      product<T>({weights.data(), n, 1}, vs.data(), columns, kGroup, columns, seen,
                 &outs[i * columns], columns, false);
      for (std::int64_t r = 0; r < kGroup; ++r) {
        T* row = &outs[(i + r) * columns];
        for (std::int64_t d = 0; d < columns; ++d) row[d] *= scales[r];
      }
    }
    copy_out(tiles, outs, out, index);
  }
}

/// dlogits = p (dp - sum p dp) scale, in place of dp; p in place of the logits.
template <typename T>
void softmax_backward(T* logits, T* dp, std::int64_t n, T scale, T log_sum) {
  Lanes<T> sums = {};
  for (std::int64_t j = 0; j < n; j += kLanes<T>) {
    const Lanes<T> p = exponential<T>(load(logits + j) * scale - log_sum);
    store(logits + j, p);
    sums += p * load(dp + j);
  }
  const T sum = sum_of<T>(sums);
  for (std::int64_t j = 0; j < n; j += kLanes<T>) {
    store<T>(dp + j, load(logits + j) * (load(dp + j) - sum) * scale);
  }
}

template <typename T>
void clear_after(T* row, std::int64_t from, std::int64_t to) {
  std::memset(row + from, 0, static_cast<std::size_t>(to - from) * sizeof(T));
}

template <typename T>
void backward(const AttentionShape& shape, T scale, const Heads<const T>& q,
              const Heads<const T>& k, const Heads<const T>& v, const Heads<const T>& dout,
              const T* log_sum, const Heads<T>& dq, const Heads<T>& dk, const Heads<T>& dv,
              std::int64_t first, std::int64_t last) {
  const Tiles<T> tiles(shape);
  std::vector<T> qs = tiles.rows_by_columns(), ks = qs, vs = qs, douts = qs, kt = qs, vt = qs;
  std::vector<T> dqs = qs, dks = qs, dvs = qs;
  std::vector<T> weights = tiles.block_by_rows(), dweights = weights;
  const std::int64_t columns = tiles.columns;
  const std::int64_t rows = tiles.rows;
  for (std::int64_t index = first; index < last; ++index) {
    copy_in(tiles, q, index, qs);
    copy_in(tiles, k, index, ks);
    copy_in(tiles, v, index, vs);
    copy_in(tiles, dout, index, douts);
    transpose(tiles, ks.data(), kt.data());
    transpose(tiles, vs.data(), vt.data());
    std::fill(dks.begin(), dks.end(), T{0});
    std::fill(dvs.begin(), dvs.end(), T{0});
    for (std::int64_t block = 0; block < rows; block += kBlock) {
      const std::int64_t end = block + kBlock;
      for (std::int64_t i = block; i < end; i += kGroup) {
        const std::int64_t seen = i + kGroup;
        const std::int64_t n = whole_lanes<T>(seen);
        T* p = &weights[(i - block) * rows];
        T* dp = &dweights[(i - block) * rows];
        product<T>({&qs[i * columns], columns, 1}, kt.data(), rows, kGroup, n, columns, p, rows,
                   false);
        product<T>({&douts[i * columns], columns, 1}, vt.data(), rows, kGroup, n, columns, dp, rows,
                   false);
        for (std::int64_t r = 0; r < kGroup; ++r) {
          mask_future(p + r * rows, i + r, n);
          const T lse = i + r < shape.length ? log_sum[index * shape.length + i + r] : T{0};
          softmax_backward(p + r * rows, dp + r * rows, n, scale, lse);
          clear_after(p + r * rows, n, end);
          clear_after(dp + r * rows, n, end);
        }
        product<T>({dp, rows, 1}, ks.data(), columns, kGroup, columns, seen, &dqs[i * columns],
                   columns, false);
      }
      product<T>({dweights.data(), 1, rows}, &qs[block * columns], columns, end, columns, kBlock,
                 dks.data(), columns, true);
      product<T>({weights.data(), 1, rows}, &douts[block * columns], columns, end, columns, kBlock,
                 dvs.data(), columns, true);
    }
    copy_out(tiles, dqs, dq, index);
    copy_out(tiles, dks, dk, index);
    copy_out(tiles, dvs, dv, index);
  }
}

}  // namespace

template <>
SWEEP_KERNEL void attention_forward<float>(const AttentionShape& shape, float scale,
                                           Heads<const float> q, Heads<const float> k,
                                           Heads<const float> v, Heads<float> out, float* log_sum,
                                           std::int64_t first, std::int64_t last) {
  forward<float>(shape, scale, q, k, v, out, log_sum, first, last);
}

template <>
SWEEP_KERNEL void attention_forward<double>(const AttentionShape& shape, double scale,
                                            Heads<const double> q, Heads<const double> k,
                                            Heads<const double> v, Heads<double> out,
                                            double* log_sum, std::int64_t first,
                                            std::int64_t last) {
  forward<double>(shape, scale, q, k, v, out, log_sum, first, last);
}

template <>
SWEEP_KERNEL void attention_backward<float>(const AttentionShape& shape, float scale,
                                            Heads<const float> q, Heads<const float> k,
                                            Heads<const float> v, Heads<const float> dout,
                                            const float* log_sum, Heads<float> dq, Heads<float> dk,
                                            Heads<float> dv, std::int64_t first,
                                            std::int64_t last) {
  backward<float>(shape, scale, q, k, v, dout, log_sum, dq, dk, dv, first, last);
}

template <>
SWEEP_KERNEL void attention_backward<double>(const AttentionShape& shape, double scale,
                                             Heads<const double> q, Heads<const double> k,
                                             Heads<const double> v, Heads<const double> dout,
                                             const double* log_sum, Heads<double> dq,
                                             Heads<double> dk, Heads<double> dv, std::int64_t first,
                                             std::int64_t last) {
  backward<double>(shape, scale, q, k, v, dout, log_sum, dq, dk, dv, first, last);
}

}  // namespace sweep
