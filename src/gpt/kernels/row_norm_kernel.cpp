// A row whose size is no whole number of lanes is worked on in copies with a tail of zeros, so that
// no loop has a remainder. The backward pass normalises anew: cheaper than reading it back.
#ifndef SWEEP_IN_KERNELS

#include "gpt/kernels/row_norm_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpt/kernels/instruction_set.h"

#define SWEEP_KERNELS "gpt/kernels/row_norm_kernel.cpp"
#include "gpt/kernels/for_each_instruction_set.h"

namespace sweep {

template <typename T>
void row_norm_forward(const RowNorm& norm, const Rows<const T>& x, const T* gain, T* y) {
  SWEEP_DISPATCH(forward<T>(norm, x, gain, y));
}
template void row_norm_forward<float>(const RowNorm& norm, const Rows<const float>& x,
                                      const float* gain, float* y);
template void row_norm_forward<double>(const RowNorm& norm, const Rows<const double>& x,
                                       const double* gain, double* y);

template <typename T>
void row_norm_backward(const RowNorm& norm, const Rows<const T>& x, const T* gain, const T* dy,
                       T* dx, double* dgain) {
  SWEEP_DISPATCH(backward<T>(norm, x, gain, dy, dx, dgain));
}
template void row_norm_backward<float>(const RowNorm& norm, const Rows<const float>& x,
                                       const float* gain, const float* dy, float* dx,
                                       double* dgain);
template void row_norm_backward<double>(const RowNorm& norm, const Rows<const double>& x,
                                        const double* gain, const double* dy, double* dx,
                                        double* dgain);

}  // namespace sweep

#else

constexpr int kRowsPerFlush = 64;

template <typename T>
class RowNormaliser {
 public:
  RowNormaliser(const RowNorm& norm, std::int64_t size, const T* gain)
      : norm_(norm), size_(size), n_(whole_lanes<T>(size)), gain_(buffer()), ones_(buffer()) {
    std::fill_n(ones_.begin(), size, T{1});
    std::copy_n(gain == nullptr ? ones_.data() : gain, size, gain_.begin());
  }

  void forward(const T* x_in, T* y) {
    const T* x = whole(x_in, x_);
    const Scale scale = scale_of(x);
    T* to = whole(y);
    for (std::int64_t i = 0; i < n_; i += kLanes<T>) {
      store<T>(to + i, unit(x, i, scale) * load(&gain_[i]));
    }
    copy_back(y);
  }

  void backward(const T* x_in, const T* dy_in, T* dx) {
    const T* x = whole(x_in, x_);
    const T* dy = whole(dy_in, dy_);
    const Scale scale = scale_of(x);
    Lanes<T> sums = {};
    Lanes<T> along_sums = {};
    for (std::int64_t i = 0; i < n_; i += kLanes<T>) {
      const Lanes<T> u = unit(x, i, scale);
      const Lanes<T> du = load(dy + i) * load(&gain_[i]);
      store<T>(&dgain_[i], multiply_add(load(dy + i), u, load(&dgain_[i])));
      sums += du;
      along_sums = multiply_add(du, u, along_sums);
    }
    const Lanes<T> along = all_lanes<T>(-sum_of<T>(along_sums) * share_along(scale));
    const T centre = norm_.kind == RowNorm::Kind::kLayer ? sum_of<T>(sums) / count() : T{0};
    T* to = whole(dx);
    for (std::int64_t i = 0; i < n_; i += kLanes<T>) {
      const Lanes<T> du = load(dy + i) * load(&gain_[i]);
      store<T>(to + i, multiply_add(unit(x, i, scale), along, du - centre) * scale.inverse);
    }
    copy_back(dx);
  }

  /// Adds what `backward` has gathered for the gain.
  void flush_gain(double* dgain) {
    for (std::int64_t i = 0; i < size_; ++i) dgain[i] += dgain_[i];
    std::fill(dgain_.begin(), dgain_.end(), T{0});
  }

 private:
  struct Scale {
    T centre;
    T inverse;
  };

  std::vector<T> buffer() const { return std::vector<T>(static_cast<std::size_t>(n_)); }

  const T* whole(const T* row, std::vector<T>& copy) const {
    if (n_ == size_) return row;
    std::copy_n(row, size_, copy.begin());
    return copy.data();
  }
  T* whole(T* row) { return n_ == size_ ? row : result_.data(); }
  void copy_back(T* row) const {
    if (n_ != size_) std::copy_n(result_.begin(), size_, row);
  }

  Lanes<T> centred(const T* x, std::int64_t i, T centre) const {
    if (norm_.kind != RowNorm::Kind::kLayer) return load(x + i);
    return (load(x + i) - centre) * load(&ones_[i]);  // the tail stays zero
  }
  Lanes<T> unit(const T* x, std::int64_t i, Scale scale) const {
    return centred(x, i, scale.centre) * scale.inverse;
  }

  Scale scale_of(const T* x) const {
    Lanes<T> sums = {};
    if (norm_.kind == RowNorm::Kind::kLayer) {
      for (std::int64_t i = 0; i < n_; i += kLanes<T>) sums += load(x + i);
    }
    const T centre = sum_of<T>(sums) / count();
    Lanes<T> squares = {};
    for (std::int64_t i = 0; i < n_; i += kLanes<T>) {
      const Lanes<T> c = centred(x, i, centre);
      squares = multiply_add(c, c, squares);
    }
    return {centre, inverse_of(sum_of<T>(squares))};
  }

  T inverse_of(T squares) const {
    const T eps = static_cast<T>(norm_.eps);
    if (norm_.kind != RowNorm::Kind::kLength) return 1 / std::sqrt(squares / count() + eps);
    const T length = std::sqrt(squares);
    return 1 / (length < eps ? eps : length);  // a NaN stays one
  }

  /// How much of the gradient along the row is lost: all, but for a row shorter than eps.
  T share_along(Scale scale) const {
    if (norm_.kind != RowNorm::Kind::kLength) return 1 / count();
    return scale.inverse == 1 / static_cast<T>(norm_.eps) ? T{0} : T{1};
  }

  T count() const { return static_cast<T>(size_); }

  RowNorm norm_;
  std::int64_t size_;
  std::int64_t n_;
  std::vector<T> gain_, ones_;
  std::vector<T> x_ = buffer(), dy_ = buffer(), result_ = buffer(), dgain_ = buffer();
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
  RowNormaliser<T> row(norm, x.size, gain);
  for_each_row<T>(x, [&](const T* from, std::int64_t at) { row.forward(from, y + at); });
}

template <typename T>
void backward(const RowNorm& norm, const Rows<const T>& x, const T* gain, const T* dy, T* dx,
              double* dgain) {
  RowNormaliser<T> row(norm, x.size, gain);
  int rows = 0;
  for_each_row<T>(x, [&](const T* from, std::int64_t at) {
    row.backward(from, dy + at, dx + at);
    if (++rows % kRowsPerFlush == 0) row.flush_gain(dgain);
  });
  row.flush_gain(dgain);
}

#endif
