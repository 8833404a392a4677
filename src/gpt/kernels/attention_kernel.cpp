// Causal attention, one (sequence, head) after another, so that all of it stays in the cache.
// Rows are taken eight at a time and their keys only up to the diagonal; every product of the seven
// is the same outer-product kernel. Tiles are padded with zeros to whole lanes and whole blocks of
// rows, so there are no remainders to treat.
#include "gpt/kernels/attention_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
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

/// A head's numbers, padded: T rounded up to whole blocks by Dh rounded up to whole lanes.
template <typename T>
class Tile {
 public:
  explicit Tile(const AttentionShape& shape)
      : shape_(shape),
        rows_((shape.length + kBlock - 1) / kBlock * kBlock),
        columns_(whole_lanes<T>(shape.head_size)),
        data_(static_cast<std::size_t>(rows_ * columns_)) {}

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  [[nodiscard]] T* row(std::int64_t i) { return data_.data() + i * columns_; }
  [[nodiscard]] Matrix<const T> from_row(std::int64_t i) { return {row(i), columns_, 1}; }

  void clear() { std::fill(data_.begin(), data_.end(), T{0}); }

  void read(const Heads<const T>& heads, std::int64_t index) {
    const T* from = head_of(heads, index);
    for (std::int64_t i = 0; i < shape_.length; ++i) {
      std::memcpy(row(i), from + i * heads.row_stride, row_bytes());
    }
  }

  void write(const Heads<T>& heads, std::int64_t index) {
    T* to = head_of(heads, index);
    for (std::int64_t i = 0; i < shape_.length; ++i) {
      std::memcpy(to + i * heads.row_stride, row(i), row_bytes());
    }
  }

  /// This tile transposed, columns by rows.
  void transpose_into(std::vector<T>& transposed) {
    for (std::int64_t i = 0; i < rows_; ++i) {
      const T* from = row(i);
      for (std::int64_t d = 0; d < columns_; ++d) transposed[d * rows_ + i] = from[d];
    }
  }

 private:
  template <typename U>
  [[nodiscard]] U* head_of(const Heads<U>& heads, std::int64_t index) const {
    return heads.data + index / shape_.heads * heads.batch_stride +
           index % shape_.heads * heads.head_stride;
  }
  [[nodiscard]] std::size_t row_bytes() const {
    return static_cast<std::size_t>(shape_.head_size) * sizeof(T);
  }

  AttentionShape shape_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::vector<T> data_;
};

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
class Forward {
 public:
  Forward(const AttentionShape& shape, T scale)
      : shape_(shape),
        scale_(scale),
        k_transposed_(static_cast<std::size_t>(q_.rows() * q_.columns())),
        weights_(static_cast<std::size_t>(kGroup * q_.rows())) {}

  void run(const Heads<const T>& q, const Heads<const T>& k, const Heads<const T>& v,
           const Heads<T>& out, T* log_sum, std::int64_t index) {
    q_.read(q, index);
    k_.read(k, index);
    v_.read(v, index);
    k_.transpose_into(k_transposed_);
    for (std::int64_t i = 0; i < q_.rows(); i += kGroup) {
      attend(i, log_sum + index * shape_.length);
    }
    out_.write(out, index);
  }

 private:
  /// The group of rows that begins with row i.
  void attend(std::int64_t i, T* log_sum) {
    const std::int64_t seen = i + kGroup;
    const std::int64_t n = whole_lanes<T>(seen);
    const std::int64_t columns = q_.columns();
    product<T>(q_.from_row(i), k_transposed_.data(), q_.rows(), kGroup, n, columns, weights_.data(),
               n, false);
    T inverse_sums[kGroup];
    for (std::int64_t r = 0; r < kGroup; ++r) {
      T* row = weights_.data() + r * n;
      mask_future(row, i + r, n);
      T row_log_sum;
      inverse_sums[r] = 1 / exponentiate(row, n, scale_, row_log_sum);
      if (i + r < shape_.length) log_sum[i + r] = row_log_sum;
    }
    product<T>({weights_.data(), n, 1}, v_.row(0), columns, kGroup, columns, seen, out_.row(i),
               columns, false);
    for (std::int64_t r = 0; r < kGroup; ++r) {
      T* row = out_.row(i + r);
      for (std::int64_t d = 0; d < columns; ++d) row[d] *= inverse_sums[r];
    }
  }

  AttentionShape shape_;
  T scale_;
  Tile<T> q_{shape_}, k_{shape_}, v_{shape_}, out_{shape_};
  std::vector<T> k_transposed_;
  std::vector<T> weights_;
};

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
class Backward {
 public:
  Backward(const AttentionShape& shape, T scale)
      : shape_(shape),
        scale_(scale),
        k_transposed_(static_cast<std::size_t>(q_.rows() * q_.columns())),
        v_transposed_(k_transposed_),
        weights_(static_cast<std::size_t>(kBlock * q_.rows())),
        dlogits_(weights_) {}

  void read(const Heads<const T>& q, const Heads<const T>& k, const Heads<const T>& v,
            const Heads<const T>& dout, std::int64_t index) {
    q_.read(q, index);
    k_.read(k, index);
    v_.read(v, index);
    dout_.read(dout, index);
    k_.transpose_into(k_transposed_);
    v_.transpose_into(v_transposed_);
    dk_.clear();
    dv_.clear();
  }

  void run(const T* log_sum, std::int64_t index) {
    for (std::int64_t begin = 0; begin < q_.rows(); begin += kBlock) {
      const std::int64_t end = begin + kBlock;
      for (std::int64_t i = begin; i < end; i += kGroup) {
        go_through_rows(begin, i, log_sum + index * shape_.length);
      }
      const std::int64_t columns = q_.columns();
      product<T>({dlogits_.data(), 1, q_.rows()}, q_.row(begin), columns, end, columns, kBlock,
                 dk_.row(0), columns, true);
      product<T>({weights_.data(), 1, q_.rows()}, dout_.row(begin), columns, end, columns, kBlock,
                 dv_.row(0), columns, true);
    }
  }

  void write(const Heads<T>& dq, const Heads<T>& dk, const Heads<T>& dv, std::int64_t index) {
    dq_.write(dq, index);
    dk_.write(dk, index);
    dv_.write(dv, index);
  }

 private:
  /// Weights, gradients of logits and dq for the group of rows that begins with row i, in the
  /// block that begins with row `begin`.
  void go_through_rows(std::int64_t begin, std::int64_t i, const T* log_sum) {
    const std::int64_t seen = i + kGroup;
    const std::int64_t n = whole_lanes<T>(seen);
    const std::int64_t width = q_.rows();
    const std::int64_t columns = q_.columns();
    T* weights = weights_.data() + (i - begin) * width;
    T* dlogits = dlogits_.data() + (i - begin) * width;
    product<T>(q_.from_row(i), k_transposed_.data(), width, kGroup, n, columns, weights, width,
               false);
    product<T>(dout_.from_row(i), v_transposed_.data(), width, kGroup, n, columns, dlogits, width,
               false);
    for (std::int64_t r = 0; r < kGroup; ++r) {
      T* row = weights + r * width;
      T* drow = dlogits + r * width;
      mask_future(row, i + r, n);
      softmax_backward(row, drow, n, scale_, i + r < shape_.length ? log_sum[i + r] : T{0});
      std::fill(row + n, row + begin + kBlock, T{0});
      std::fill(drow + n, drow + begin + kBlock, T{0});
    }
    product<T>({dlogits, width, 1}, k_.row(0), columns, kGroup, columns, seen, dq_.row(i), columns,
               false);
  }

  AttentionShape shape_;
  T scale_;
  Tile<T> q_{shape_}, k_{shape_}, v_{shape_}, dout_{shape_};
  Tile<T> dq_{shape_}, dk_{shape_}, dv_{shape_};
  std::vector<T> k_transposed_, v_transposed_;
  std::vector<T> weights_, dlogits_;  // of one block of rows
};

template <typename T>
void forward(const AttentionShape& shape, T scale, const AttentionInputs<T>& in,
             const Heads<T>& out, T* log_sum, HeadRange range) {
  Forward<T> forward(shape, scale);
  for (std::int64_t index = range.first; index < range.last; ++index) {
    forward.run(in.q, in.k, in.v, out, log_sum, index);
  }
}

template <typename T>
void backward(const AttentionShape& shape, T scale, const AttentionInputs<T>& in,
              const Heads<const T>& dout, const T* log_sum, const AttentionGradients<T>& gradients,
              HeadRange range) {
  Backward<T> backward(shape, scale);
  for (std::int64_t index = range.first; index < range.last; ++index) {
    backward.read(in.q, in.k, in.v, dout, index);
    backward.run(log_sum, index);
    backward.write(gradients.dq, gradients.dk, gradients.dv, index);
  }
}

}  // namespace

template <>
SWEEP_KERNEL void attention_forward<float>(const AttentionShape& shape, float scale,
                                           const AttentionInputs<float>& in,
                                           const Heads<float>& out, float* log_sum,
                                           HeadRange range) {
  forward<float>(shape, scale, in, out, log_sum, range);
}

template <>
SWEEP_KERNEL void attention_backward<float>(const AttentionShape& shape, float scale,
                                            const AttentionInputs<float>& in,
                                            const Heads<const float>& dout, const float* log_sum,
                                            const AttentionGradients<float>& gradients,
                                            HeadRange range) {
  backward<float>(shape, scale, in, dout, log_sum, gradients, range);
}

template <>
SWEEP_KERNEL void attention_forward<double>(const AttentionShape& shape, double scale,
                                            const AttentionInputs<double>& in,
                                            const Heads<double>& out, double* log_sum,
                                            HeadRange range) {
  forward<double>(shape, scale, in, out, log_sum, range);
}

template <>
SWEEP_KERNEL void attention_backward<double>(const AttentionShape& shape, double scale,
                                             const AttentionInputs<double>& in,
                                             const Heads<const double>& dout, const double* log_sum,
                                             const AttentionGradients<double>& gradients,
                                             HeadRange range) {
  backward<double>(shape, scale, in, dout, log_sum, gradients, range);
}

}  // namespace sweep
