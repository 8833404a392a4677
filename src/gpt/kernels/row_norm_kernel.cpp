// Each row is copied into a buffer of whole lanes whose tail stays zero, so that sums have no
// remainder. The backward pass normalises anew: that is cheaper than reading it back from memory.
#include "gpt/kernels/row_norm_kernel.h"

#include <cmath>
#include <vector>

#include "gpt/kernels/lanes.h"

namespace sweep {
namespace {

template <typename T>
T sum(const T* x, std::int64_t n) {
  Lanes<T> sums = {};
  for (std::int64_t i = 0; i < n; i += kLanes<T>) sums += load(x + i);
  return sum_of<T>(sums);
}

template <typename T>
T dot(const T* x, const T* y, std::int64_t n) {
  Lanes<T> sums = {};
  for (std::int64_t i = 0; i < n; i += kLanes<T>) sums += load(x + i) * load(y + i);
  return sum_of<T>(sums);
}

/// A row's buffers and its normalisation.
template <typename T>
class Row {
 public:
  Row(const RowNorm& norm, std::int64_t size, const T* gain)
      : norm_(norm),
        size_(size),
        n_(whole_lanes<T>(size)),
        gain_(static_cast<std::size_t>(size), T{1}),
        unit_(static_cast<std::size_t>(n_)),
        dunit_(static_cast<std::size_t>(n_)) {
    if (gain != nullptr) gain_.assign(gain, gain + size);
  }

  void forward(const T* x, T* y) {
    normalise(x);
    for (std::int64_t i = 0; i < size_; ++i) y[i] = unit_[i] * gain_[i];
  }

  void backward(const T* x, const T* dy, T* dx, double* dgain) {
    const T inverse = normalise(x);
    if (dgain != nullptr) {
      for (std::int64_t i = 0; i < size_; ++i) dgain[i] += dy[i] * unit_[i];
    }
    for (std::int64_t i = 0; i < size_; ++i) dunit_[i] = dy[i] * gain_[i];
    const T along = dot(dunit_.data(), unit_.data(), n_) * share_along(inverse);
    const T centre = norm_.kind == RowNorm::Kind::kLayer ? sum(dunit_.data(), n_) / count() : T{0};
    for (std::int64_t i = 0; i < size_; ++i) {
      dx[i] = (dunit_[i] - centre - unit_[i] * along) * inverse;
    }
  }

 private:
  /// unit = (x - centre) * inverse; returns the inverse.
  T normalise(const T* x) {
    for (std::int64_t i = 0; i < size_; ++i) unit_[i] = x[i];
    if (norm_.kind == RowNorm::Kind::kLayer) {
      const T mean = sum(unit_.data(), n_) / count();
      for (std::int64_t i = 0; i < size_; ++i) unit_[i] -= mean;
    }
    const T inverse = inverse_of(dot(unit_.data(), unit_.data(), n_));
    for (std::int64_t i = 0; i < size_; ++i) unit_[i] *= inverse;
    return inverse;
  }

  T inverse_of(T squares) const {
    const T eps = static_cast<T>(norm_.eps);
    if (norm_.kind != RowNorm::Kind::kLength) return 1 / std::sqrt(squares / count() + eps);
    const T length = std::sqrt(squares);
    return 1 / (length < eps ? eps : length);  // a NaN stays one
  }

  /// How much of the gradient along the row is lost: all, but for a row shorter than eps.
  T share_along(T inverse) const {
    if (norm_.kind != RowNorm::Kind::kLength) return 1 / count();
    return inverse == 1 / static_cast<T>(norm_.eps) ? T{0} : T{1};
  }

  T count() const { return static_cast<T>(size_); }

  RowNorm norm_;
  std::int64_t size_;
  std::int64_t n_;
  std::vector<T> gain_, unit_, dunit_;
};

template <typename T, typename Visit>
void for_each_row(const Rows<const T>& x, Visit visit) {
  std::int64_t dense = 0;
  for (std::int64_t o = 0; o < x.outer; ++o) {
    for (std::int64_t i = 0; i < x.inner; ++i) {
      visit(x.data + o * x.outer_stride + i * x.size, dense);
      dense += x.size;
    }
  }
}

template <typename T>
void forward(const RowNorm& norm, const Rows<const T>& x, const T* gain, T* y) {
  Row<T> row(norm, x.size, gain);
  for_each_row<T>(x, [&](const T* from, std::int64_t at) { row.forward(from, y + at); });
}

template <typename T>
void backward(const RowNorm& norm, const Rows<const T>& x, const T* gain, const T* dy, T* dx,
              double* dgain) {
  Row<T> row(norm, x.size, gain);
  for_each_row<T>(
      x, [&](const T* from, std::int64_t at) { row.backward(from, dy + at, dx + at, dgain); });
}

}  // namespace

template <>
SWEEP_KERNEL void row_norm_forward<float>(const RowNorm& norm, const Rows<const float>& x,
                                          const float* gain, float* y) {
  forward<float>(norm, x, gain, y);
}

template <>
SWEEP_KERNEL void row_norm_forward<double>(const RowNorm& norm, const Rows<const double>& x,
                                           const double* gain, double* y) {
  forward<double>(norm, x, gain, y);
}

template <>
SWEEP_KERNEL void row_norm_backward<float>(const RowNorm& norm, const Rows<const float>& x,
                                           const float* gain, const float* dy, float* dx,
                                           double* dgain) {
  backward<float>(norm, x, gain, dy, dx, dgain);
}

template <>
SWEEP_KERNEL void row_norm_backward<double>(const RowNorm& norm, const Rows<const double>& x,
                                            const double* gain, const double* dy, double* dx,
                                            double* dgain) {
  backward<double>(norm, x, gain, dy, dx, dgain);
}

}  // namespace sweep
