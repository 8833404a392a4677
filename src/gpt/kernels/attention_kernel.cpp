// Causal attention, one (sequence, head) after another, so that all of it stays in the cache.
// Rows are taken eight at a time and their keys only up to the diagonal; every product of the seven
// is the same outer-product kernel. Tiles are padded with zeros to whole lanes and whole blocks of
// rows, so there are no remainders to treat.
#ifndef SWEEP_IN_KERNELS

#include "gpt/kernels/attention_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "gpt/kernels/instruction_set.h"

#define SWEEP_KERNELS "gpt/kernels/attention_kernel.cpp"
#include "gpt/kernels/for_each_instruction_set.h"

namespace sweep {

template <typename T>
std::int64_t attention_workspace(const AttentionShape& shape) {
  return generic::workspace_size<T>(shape);
}
template std::int64_t attention_workspace<float>(const AttentionShape& shape);
template std::int64_t attention_workspace<double>(const AttentionShape& shape);

template <typename T>
void attention_forward(const AttentionShape& shape, T scale, const AttentionInputs<T>& in,
                       const Heads<T>& out, T* log_sum, HeadRange range, T* workspace,
                       const AttentionRows<T>* measured) {
  SWEEP_DISPATCH(forward<T>(shape, scale, in, out, log_sum, range, workspace, measured));
}
template void attention_forward<float>(const AttentionShape& shape, float scale,
                                       const AttentionInputs<float>& in, const Heads<float>& out,
                                       float* log_sum, HeadRange range, float* workspace,
                                       const AttentionRows<float>* measured);
template void attention_forward<double>(const AttentionShape& shape, double scale,
                                        const AttentionInputs<double>& in, const Heads<double>& out,
                                        double* log_sum, HeadRange range, double* workspace,
                                        const AttentionRows<double>* measured);

template <typename T>
void attention_backward(const AttentionShape& shape, T scale, const AttentionInputs<T>& in,
                        const Heads<const T>& dout, const T* log_sum,
                        const AttentionGradients<T>& gradients, HeadRange range, T* workspace) {
  SWEEP_DISPATCH(backward<T>(shape, scale, in, dout, log_sum, gradients, range, workspace));
}
template void attention_backward<float>(const AttentionShape& shape, float scale,
                                        const AttentionInputs<float>& in,
                                        const Heads<const float>& dout, const float* log_sum,
                                        const AttentionGradients<float>& gradients, HeadRange range,
                                        float* workspace);
template void attention_backward<double>(const AttentionShape& shape, double scale,
                                         const AttentionInputs<double>& in,
                                         const Heads<const double>& dout, const double* log_sum,
                                         const AttentionGradients<double>& gradients,
                                         HeadRange range, double* workspace);

}  // namespace sweep

#else

constexpr std::int64_t kGroup = 8;   // rows that see the same keys
constexpr std::int64_t kBlock = 32;  // rows before dk and dv are added to

/// Element (i, j) of a matrix at data[i * row + j * column].
template <typename T>
struct Matrix {
  T* data;
  std::int64_t row;
  std::int64_t column;
};

// Rows and lanes of one outer product: sums that stay in the registers.
constexpr std::int64_t kTileLanes = kHas32Registers ? 2 : 1;

/// c (kTileRows x kRegisters lanes) = or += a (kTileRows x depth) b (depth x kRegisters lanes).
template <typename T, std::int64_t kRegisters>
void outer_product(const Matrix<const T>& a, const T* b, std::int64_t b_row, std::int64_t depth,
                   T* c, std::int64_t c_row, bool add) {
  constexpr std::int64_t kStep = kLanes<T>;
  Lanes<T> sum[kTileRows][kRegisters] = {};
#pragma GCC unroll 8
  for (std::int64_t r = 0; add && r < kTileRows; ++r) {
#pragma GCC unroll 8
    for (std::int64_t j = 0; j < kRegisters; ++j) sum[r][j] = load(c + r * c_row + j * kStep);
  }
  for (std::int64_t k = 0; k < depth; ++k) {
    Lanes<T> factor[kRegisters];
#pragma GCC unroll 8
    for (std::int64_t j = 0; j < kRegisters; ++j) factor[j] = load(b + k * b_row + j * kStep);
#pragma GCC unroll 8
    for (std::int64_t r = 0; r < kTileRows; ++r) {
      const Lanes<T> x = all_lanes<T>(a.data[r * a.row + k * a.column]);
#pragma GCC unroll 8
      for (std::int64_t j = 0; j < kRegisters; ++j) {
        sum[r][j] = multiply_add(x, factor[j], sum[r][j]);
      }
    }
  }
#pragma GCC unroll 8
  for (std::int64_t r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 8
    for (std::int64_t j = 0; j < kRegisters; ++j) store(c + r * c_row + j * kStep, sum[r][j]);
  }
}

template <typename T>
void product(Matrix<const T> a, const T* b, std::int64_t b_row, std::int64_t rows,
             std::int64_t columns, std::int64_t depth, T* c, std::int64_t c_row, bool add) {
  constexpr std::int64_t kStep = kLanes<T>;
  for (std::int64_t i = 0; i < rows; i += kTileRows) {
    const Matrix<const T> group{a.data + i * a.row, a.row, a.column};
    T* to = c + i * c_row;
    std::int64_t j = 0;
    for (; j + kTileLanes * kStep <= columns; j += kTileLanes * kStep) {
      outer_product<T, kTileLanes>(group, b + j, b_row, depth, to + j, c_row, add);
    }
    if (j < columns) outer_product<T, 1>(group, b + j, b_row, depth, to + j, c_row, add);
  }
}

/// Working memory that is handed out piece by piece.
template <typename T>
class Workspace {
 public:
  explicit Workspace(T* memory) : next_(memory) {}

  T* take(std::int64_t count) {
    T* piece = next_;
    next_ += count;
    return piece;
  }

 private:
  T* next_;
};

template <typename T>
std::int64_t padded_rows(const AttentionShape& shape) {
  return (shape.length + kBlock - 1) / kBlock * kBlock;
}

template <typename T>
std::int64_t tile_size(const AttentionShape& shape) {
  return padded_rows<T>(shape) * whole_lanes<T>(shape.head_size);
}

/// A head whose rows and columns are whole blocks and whole lanes needs no padding.
template <typename T>
bool is_whole(const AttentionShape& shape) {
  return padded_rows<T>(shape) == shape.length &&
         whole_lanes<T>(shape.head_size) == shape.head_size;
}

template <typename T>
T* head_of(const AttentionShape& shape, const Heads<T>& heads, std::int64_t index) {
  return heads.data + index / shape.heads * heads.batch_stride +
         index % shape.heads * heads.head_stride;
}

/// Asks for the group of rows from row i on of the head after number `index`: a few at a time while
/// there is much to compute, and into the second cache, since the first is full.
template <typename T>
[[gnu::always_inline]] inline void fetch_next(const AttentionShape& shape, const Heads<T>& heads,
                                              std::int64_t index, std::int64_t i) {
  T* const rows = head_of(shape, heads, index + 1) + i * heads.row_stride;
  for (std::int64_t r = 0; r < kGroup; ++r) {
    fetch<kSecondCache>(rows + r * heads.row_stride, shape.head_size);
  }
}

/// A head's numbers where they lie, if it is whole; else in working memory, padded with zeros: T
/// rounded up to whole blocks by Dh rounded up to whole lanes.
template <typename T>
class Tile {
 public:
  Tile(const AttentionShape& shape, Workspace<T>& workspace)
      : shape_(shape),
        rows_(padded_rows<T>(shape)),
        columns_(whole_lanes<T>(shape.head_size)),
        own_(workspace.take(rows_ * columns_)) {
    if (!is_whole<T>(shape)) std::fill_n(own_, rows_ * columns_, T{0});
  }

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }

 protected:
  AttentionShape shape_;
  std::int64_t rows_;
  std::int64_t columns_;
  T* own_;
};

template <typename T>
class InputTile : public Tile<T> {
 public:
  using Tile<T>::Tile;

  void read(const Heads<const T>& heads, std::int64_t index) {
    const T* from = head_of(this->shape_, heads, index);
    if (is_whole<T>(this->shape_)) {
      data_ = from;
      stride_ = heads.row_stride;
      return;
    }
    data_ = this->own_;
    stride_ = this->columns_;
    for (std::int64_t i = 0; i < this->shape_.length; ++i) {
      std::copy_n(from + i * heads.row_stride, this->shape_.head_size, this->own_ + i * stride_);
    }
  }

  [[nodiscard]] std::int64_t stride() const { return stride_; }
  [[nodiscard]] const T* row(std::int64_t i) const { return data_ + i * stride_; }
  [[nodiscard]] Matrix<const T> from_row(std::int64_t i) const { return {row(i), stride_, 1}; }

  /// Transposed, columns by rows.
  void transpose_into(T* transposed) const {
    for (std::int64_t i = 0; i < this->rows_; i += 4) {
      for (std::int64_t d = 0; d < this->columns_; d += 4) {
        transpose_four(row(i) + d, stride_, transposed + d * this->rows_ + i, this->rows_);
      }
    }
  }

 private:
  const T* data_ = nullptr;
  std::int64_t stride_ = 0;
};

template <typename T>
class OutputTile : public Tile<T> {
 public:
  using Tile<T>::Tile;

  /// The head that is written next.
  void begin(const Heads<T>& heads, std::int64_t index) {
    const bool in_place = is_whole<T>(this->shape_);
    data_ = in_place ? head_of(this->shape_, heads, index) : this->own_;
    stride_ = in_place ? heads.row_stride : this->columns_;
  }

  [[nodiscard]] std::int64_t stride() const { return stride_; }
  [[nodiscard]] T* row(std::int64_t i) { return data_ + i * stride_; }

  /// After its last number.
  void end(const Heads<T>& heads, std::int64_t index) {
    if (is_whole<T>(this->shape_)) return;
    T* to = head_of(this->shape_, heads, index);
    for (std::int64_t i = 0; i < this->shape_.length; ++i) {
      std::copy_n(row(i), this->shape_.head_size, to + i * heads.row_stride);
    }
  }

 private:
  T* data_ = nullptr;
  std::int64_t stride_ = 0;
};

template <typename T>
constexpr T kLaneNumbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// Logits of the keys after row i's own, up to `end`, become minus infinity.
template <typename T>
void mask_future(T* logits, std::int64_t i, std::int64_t end) {
  constexpr T kNever = -std::numeric_limits<T>::infinity();
  for (std::int64_t j = (i + 1) / kLanes<T> * kLanes<T>; j < end; j += kLanes<T>) {
    const T last = static_cast<T>(i - j);
    const auto mask = [&](const auto& logit, const auto& lane) -> Native<T> {
      return lane > last ? native_lanes(kNever) : logit;
    };
    store(logits + j, map(mask, load(logits + j), load(kLaneNumbers<T>)));
  }
}

constexpr std::int64_t kFour = 4;  // rows whose sums are folded together

template <typename T>
Lanes<T> largest_lanes(const T* row, std::int64_t n) {
  Lanes<T> most = load(row);
  for (std::int64_t j = kLanes<T>; j < n; j += kLanes<T>) {
    most = larger_of(most, load(row + j));
  }
  return most;
}

/// Turns four rows of n logits into exp(scale (logit - largest)); returns their sums.
template <typename T>
Four<T> exponentiate(T* rows, std::int64_t n, T scale, T* log_sums) {
  Lanes<T> lanes[kFour];
  for (std::int64_t r = 0; r < kFour; ++r) lanes[r] = largest_lanes(rows + r * n, n);
  const Four<T> largest = largest_of<T>(lanes);
  for (std::int64_t r = 0; r < kFour; ++r) {
    T* row = rows + r * n;
    Lanes<T> sum = {};
    for (std::int64_t j = 0; j < n; j += kLanes<T>) {
      const Lanes<T> p = exponential((load(row + j) - largest[r]) * scale);
      store(row + j, p);
      sum += p;
    }
    lanes[r] = sum;
  }
  const Four<T> sums = sums_of<T>(lanes);
  for (std::int64_t r = 0; r < kFour; ++r) log_sums[r] = scale * largest[r] + std::log(sums[r]);
  return sums;
}

template <typename T>
class Forward {
 public:
  Forward(const AttentionShape& shape, T scale, T* memory, const AttentionRows<T>* measured)
      : shape_(shape), scale_(scale), measured_(measured), workspace_(memory) {}

  void run(const Heads<const T>& q, const Heads<const T>& k, const Heads<const T>& v,
           const Heads<T>& out, T* log_sum, std::int64_t index) {
    q_.read(q, index);
    k_.read(k, index);
    v_.read(v, index);
    out_.begin(out, index);
    k_.transpose_into(k_transposed_);
    for (std::int64_t i = 0; i < q_.rows(); i += kGroup) {
      attend(i, index * shape_.length, log_sum);
      for (const Heads<const T>* heads : {&q, &k, &v}) fetch_next(shape_, *heads, index, i);
      fetch_next(shape_, out, index, i);
    }
    out_.end(out, index);
  }

 private:
  /// The group of rows that begins with row i of the head whose first row is number `first`.
  void attend(std::int64_t i, std::int64_t first, T* log_sum) {
    const std::int64_t seen = i + kGroup;
    const std::int64_t n = whole_lanes<T>(seen);
    const std::int64_t columns = q_.columns();
    product<T>(q_.from_row(i), k_transposed_, q_.rows(), kGroup, n, columns, weights_, n, false);
    T inverse_sums[kGroup];
    T log_sums[kGroup];
    for (std::int64_t r = 0; r < kGroup; ++r) mask_future(weights_ + r * n, i + r, n);
    if (measured_ != nullptr) std::copy_n(weights_, kGroup * n, logits_);
    for (std::int64_t r = 0; r < kGroup; r += kFour) {
      const Four<T> sums = exponentiate(weights_ + r * n, n, scale_, log_sums + r);
      store_four<T>(inverse_sums + r, 1 / sums);
    }
    for (std::int64_t r = 0; r < kGroup && i + r < shape_.length; ++r) {
      log_sum[first + i + r] = log_sums[r];
      if (measured_ != nullptr) {
        measure(first + i + r, logits_ + r * n, weights_ + r * n, i + r, n, inverse_sums[r]);
      }
    }
    // Not into the rows of `out`: reading them back would wait until they are in the cache.
    product<T>({weights_, n, 1}, v_.row(0), v_.stride(), kGroup, columns, seen, mixed_, columns,
               false);
    for (std::int64_t r = 0; r < kGroup; ++r) {
      for (std::int64_t d = 0; d < columns; d += kLanes<T>) {
        store(out_.row(i + r) + d, load(mixed_ + r * columns + d) * inverse_sums[r]);
      }
    }
  }

  /// Row number `row`, whose query is the i-th: logits with minus infinity for the future, and the
  /// weights that they became. With s the sum of the weights e the entropy is
  /// ln s - sum e scale (logit - largest) / s: no logarithm of a vanished weight.
  void measure(std::int64_t row, T* logits, const T* weights, std::int64_t i, std::int64_t n,
               T inverse_sum) {
    const T most = largest_of<T>(largest_lanes(logits, n));
    std::fill(logits + i + 1, logits + n, T{0});
    Lanes<T> most_abs = {};
    Lanes<T> below = {};
    for (std::int64_t j = 0; j < n; j += kLanes<T>) {
      const Lanes<T> z = load(logits + j);
      most_abs = larger_of(most_abs, larger_of(z, Lanes<T>{} - z));
      below = multiply_add(load(weights + j), z - most, below);
    }
    // A sum that is no number means a logit that is none, which a maximum may have passed over.
    const T broken = inverse_sum - inverse_sum;
    measured_->max_logit[row] = most * scale_ + broken;
    measured_->max_abs_logit[row] = largest_of<T>(most_abs) * scale_ + broken;
    measured_->entropy[row] = -std::log(inverse_sum) - sum_of<T>(below) * scale_ * inverse_sum;
    measured_->first[row] = weights[0] * inverse_sum;
  }

  AttentionShape shape_;
  T scale_;
  const AttentionRows<T>* measured_;
  Workspace<T> workspace_;
  InputTile<T> q_{shape_, workspace_}, k_{shape_, workspace_}, v_{shape_, workspace_};
  OutputTile<T> out_{shape_, workspace_};
  T* k_transposed_ = workspace_.take(tile_size<T>(shape_));
  T* weights_ = workspace_.take(kGroup * padded_rows<T>(shape_));
  T* logits_ = workspace_.take(kGroup * padded_rows<T>(shape_));  // as they were, when measured
  T* mixed_ = workspace_.take(kGroup * q_.columns());  // values by weights, not yet divided
};

/// Four rows, `width` apart: dlogits = p (dp - sum p dp) scale, in place of dp; p in place of the
/// logits.
template <typename T>
void softmax_backward(T* logits, T* dp, std::int64_t width, std::int64_t n, T scale,
                      const T* log_sums) {
  Lanes<T> lanes[kFour];
  for (std::int64_t r = 0; r < kFour; ++r) {
    Lanes<T> sum = {};
    for (std::int64_t j = r * width; j < r * width + n; j += kLanes<T>) {
      const Lanes<T> p = exponential(
          multiply_add(load(logits + j), all_lanes<T>(scale), all_lanes<T>(-log_sums[r])));
      store(logits + j, p);
      sum = multiply_add(p, load(dp + j), sum);
    }
    lanes[r] = sum;
  }
  const Four<T> sums = sums_of<T>(lanes);
  for (std::int64_t r = 0; r < kFour; ++r) {
    for (std::int64_t j = r * width; j < r * width + n; j += kLanes<T>) {
      store<T>(dp + j, load(logits + j) * (load(dp + j) - sums[r]) * scale);
    }
  }
}

template <typename T>
class Backward {
 public:
  Backward(const AttentionShape& shape, T scale, T* memory)
      : shape_(shape), scale_(scale), workspace_(memory) {}

  void run(const AttentionInputs<T>& in, const Heads<const T>& dout, const T* log_sum,
           const AttentionGradients<T>& to, std::int64_t index) {
    q_.read(in.q, index);
    k_.read(in.k, index);
    v_.read(in.v, index);
    dout_.read(dout, index);
    dq_.begin(to.dq, index);
    dk_.begin(to.dk, index);
    dv_.begin(to.dv, index);
    k_.transpose_into(k_transposed_);
    v_.transpose_into(v_transposed_);
    for (std::int64_t begin = 0; begin < q_.rows(); begin += kBlock) {
      const std::int64_t end = begin + kBlock;
      for (std::int64_t i = begin; i < end; i += kGroup) {
        go_through_rows(begin, i, log_sum + index * shape_.length);
        for (const auto* heads : {&in.q, &in.k, &in.v, &dout}) fetch_next(shape_, *heads, index, i);
        for (const auto* heads : {&to.dq, &to.dk, &to.dv}) fetch_next(shape_, *heads, index, i);
      }
      add_for_keys(dlogits_, q_, begin, dk_);
      add_for_keys(weights_, dout_, begin, dv_);
    }
    dq_.end(to.dq, index);
    dk_.end(to.dk, index);
    dv_.end(to.dv, index);
  }

 private:
  /// What the block of queries that begins with row `begin` does to each key it sees: sums over the
  /// block's rows of factor (rows x keys) times `by`. Its own keys no block has seen before, and no
  /// row before their group's.
  void add_for_keys(const T* factor, const InputTile<T>& by, std::int64_t begin,
                    OutputTile<T>& to) {
    const std::int64_t width = q_.rows();
    const std::int64_t columns = q_.columns();
    product<T>({factor, 1, width}, by.row(begin), by.stride(), begin, columns, kBlock, to.row(0),
               to.stride(), true);
    for (std::int64_t r = 0; r < kBlock; r += kGroup) {
      product<T>({factor + r * width + begin + r, 1, width}, by.row(begin + r), by.stride(), kGroup,
                 columns, kBlock - r, to.row(begin + r), to.stride(), false);
    }
  }

  /// Weights, gradients of logits and dq for the group of rows that begins with row i, in the
  /// block that begins with row `begin`.
  void go_through_rows(std::int64_t begin, std::int64_t i, const T* log_sum) {
    const std::int64_t seen = i + kGroup;
    const std::int64_t n = whole_lanes<T>(seen);
    const std::int64_t width = q_.rows();
    const std::int64_t columns = q_.columns();
    T* weights = weights_ + (i - begin) * width;
    T* dlogits = dlogits_ + (i - begin) * width;
    product<T>(q_.from_row(i), k_transposed_, width, kGroup, n, columns, weights, width, false);
    product<T>(dout_.from_row(i), v_transposed_, width, kGroup, n, columns, dlogits, width, false);
    T log_sums[kGroup] = {};
    for (std::int64_t r = 0; r < kGroup && i + r < shape_.length; ++r) log_sums[r] = log_sum[i + r];
    for (std::int64_t r = 0; r < kGroup; ++r) mask_future(weights + r * width, i + r, n);
    for (std::int64_t r = 0; r < kGroup; r += kFour) {
      softmax_backward(weights + r * width, dlogits + r * width, width, n, scale_, log_sums + r);
    }
    product<T>({dlogits, width, 1}, k_.row(0), k_.stride(), kGroup, columns, seen, dq_.row(i),
               dq_.stride(), false);
  }

  AttentionShape shape_;
  T scale_;
  Workspace<T> workspace_;
  InputTile<T> q_{shape_, workspace_}, k_{shape_, workspace_}, v_{shape_, workspace_};
  InputTile<T> dout_{shape_, workspace_};
  OutputTile<T> dq_{shape_, workspace_}, dk_{shape_, workspace_}, dv_{shape_, workspace_};
  T* k_transposed_ = workspace_.take(tile_size<T>(shape_));
  T* v_transposed_ = workspace_.take(tile_size<T>(shape_));
  T* weights_ = workspace_.take(kBlock * padded_rows<T>(shape_));  // of one block of rows
  T* dlogits_ = workspace_.take(kBlock * padded_rows<T>(shape_));
};

template <typename T>
std::int64_t workspace_size(const AttentionShape& shape) {
  return 9 * tile_size<T>(shape) + 2 * kBlock * padded_rows<T>(shape);
}

template <typename T>
void forward(const AttentionShape& shape, T scale, const AttentionInputs<T>& in,
             const Heads<T>& out, T* log_sum, HeadRange range, T* workspace,
             const AttentionRows<T>* measured) {
  Forward<T> forward(shape, scale, workspace, measured);
  for (std::int64_t index = range.first; index < range.last; ++index) {
    forward.run(in.q, in.k, in.v, out, log_sum, index);
  }
}

template <typename T>
void backward(const AttentionShape& shape, T scale, const AttentionInputs<T>& in,
              const Heads<const T>& dout, const T* log_sum, const AttentionGradients<T>& gradients,
              HeadRange range, T* workspace) {
  Backward<T> backward(shape, scale, workspace);
  for (std::int64_t index = range.first; index < range.last; ++index) {
    backward.run(in, dout, log_sum, gradients, index);
  }
}

#endif
