#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

#include "gpt/meter_values.h"

namespace sweep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Below it a token's mean square is taken as this: an all-zero token has no shape.
constexpr double kSmallestMeanSquare = 1e-8;

/// The same statistic of each block's input, of what leaves the last, and of what branches add.
template <typename Statistic>
class ShapeMeter : public NamedMeter {
 public:
  ShapeMeter(const std::string& name, std::size_t layers)
      : NamedMeter(name, layers), input_(layers), attention_(layers), mlp_(layers) {}

  void see_residual(std::size_t place, const at::Tensor& x) override {
    (place < layers() ? input_[place] : out_).add(x);
  }
  void see_branch(std::size_t layer, Branch branch, const at::Tensor& x) override {
    (branch == Branch::kAttention ? attention_ : mlp_).at(layer).add(x);
  }

  [[nodiscard]] NamedValues values() const override {
    NamedValues all = of(name(), input_);
    all.emplace_back(name() + "/out", out_.value());
    for (const auto& [tensor, statistics] :
         {std::pair("/attention_out", &attention_), std::pair("/mlp_out", &mlp_)}) {
      const NamedValues some = of(name() + tensor, *statistics);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

 private:
  static NamedValues of(const std::string& name, const std::vector<Statistic>& statistics) {
    Numbers by_layer;
    for (const Statistic& statistic : statistics) by_layer.push_back(statistic.value());
    NamedValues values = with_layers(name, mean_of(by_layer), by_layer);
    values.emplace_back(name + "/max", largest(by_layer));
    return values;
  }

  std::vector<Statistic> input_, attention_, mlp_;
  Statistic out_;
};

/// Mean over tokens of m4/m2^2 over the token's features.
struct TokenKurtosis {
  void add(const at::Tensor& x) {
    const at::Tensor squares = x.square();  // (B, T, d)
    const at::Tensor second = squares.mean(-1).clamp_min(kSmallestMeanSquare);
    const at::Tensor fourth = squares.square().mean(-1);  // (B, T)
    sum += number_of((fourth / second.square()).sum(at::kDouble));
    tokens += static_cast<double>(second.numel());
  }
  [[nodiscard]] double value() const { return sum / tokens; }

  double sum = 0;
  double tokens = 0;
};

/// n M4/M2^2 - 3 with M_p the sum of p-th powers about the mean over all entries, merged batch by
/// batch (Pébay 2008, SAND2008-6212, eq. 3.1): sums of plain powers would cancel.
struct TensorKurtosis {
  void add(const at::Tensor& x) {
    const at::Tensor wide = x.to(at::kDouble);
    TensorKurtosis other;
    other.n = static_cast<double>(wide.numel());
    other.mean = number_of(wide.mean());
    const at::Tensor d = wide - other.mean;
    other.m2 = number_of(d.square().sum());
    other.m3 = number_of((d.square() * d).sum());
    other.m4 = number_of(d.square().square().sum());
    merge(other);
  }

  void merge(const TensorKurtosis& b) {
    const double both = n + b.n;
    const double d = b.mean - mean;
    const double e = d / both;
    m4 += b.m4 + d * e * e * e * n * b.n * (n * n - n * b.n + b.n * b.n) +
          6 * e * e * (n * n * b.m2 + b.n * b.n * m2) + 4 * e * (n * b.m3 - b.n * m3);
    m3 += b.m3 + d * e * e * n * b.n * (n - b.n) + 3 * e * (n * b.m2 - b.n * m2);
    m2 += b.m2 + d * e * n * b.n;
    mean += e * b.n;
    n = both;
  }

  [[nodiscard]] double value() const { return n * m4 / (m2 * m2) - 3; }

  double n = 0;
  double mean = 0;
  double m2 = 0, m3 = 0, m4 = 0;
};

class ResidualRmsMeter : public NamedMeter {
 public:
  ResidualRmsMeter(const std::string& name, std::size_t layers)
      : NamedMeter(name, layers), squares_(layers + 1), entries_(layers + 1) {}

  void see_residual(std::size_t place, const at::Tensor& x) override {
    squares_.at(place) += square_sum(x);
    entries_.at(place) += static_cast<double>(x.numel());
  }

  [[nodiscard]] NamedValues values() const override {
    Numbers rms;
    for (std::size_t i = 0; i < squares_.size(); ++i) {
      rms.push_back(std::sqrt(squares_[i] / entries_[i]));
    }
    return with_places(name(), largest(rms), rms);
  }

 private:
  Numbers squares_, entries_;
};

/// ln(max|x| / median|x|) of each window's (T, d), the largest over windows.
class MassiveMeter : public NamedMeter {
 public:
  MassiveMeter(const std::string& name, std::size_t layers)
      : NamedMeter(name, layers), places_(layers + 1) {}

  void see_residual(std::size_t place, const at::Tensor& x) override {
    const at::Tensor sizes = x.abs().flatten(1);  // (B, T d)
    const Numbers ratios = finite_or_infinite(numbers_of((sizes.amax(1) / median_of(sizes)).log()));
    Place& here = places_.at(place);
    here.ratio = std::max(here.ratio, largest(ratios));
    const auto count = std::min<std::int64_t>(3, sizes.numel());
    Numbers top = numbers_of(std::get<0>(sizes.flatten().topk(count)));
    top.insert(top.end(), here.top.begin(), here.top.end());
    std::sort(top.begin(), top.end(), std::greater<>());
    top.resize(std::min<std::size_t>(3, top.size()));
    here.top = top;
  }

  [[nodiscard]] NamedValues values() const override {
    Numbers ratios;
    for (const Place& place : places_) ratios.push_back(place.ratio);
    NamedValues values = with_places(name(), largest(ratios), ratios);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      for (std::size_t rank = 0; rank < places_[i].top.size(); ++rank) {
        const std::string top = fmt::format("{}/top{}", name(), rank + 1);
        values.emplace_back(i < layers() ? in_layer(top, i) : top + "/out", places_[i].top[rank]);
      }
    }
    return values;
  }

 private:
  static at::Tensor median_of(const at::Tensor& rows) {
    const std::int64_t n = rows.size(1);
    const auto ranked = [&](std::int64_t k) { return std::get<0>(rows.kthvalue(k, 1)); };
    return (ranked((n + 1) / 2) + ranked(n / 2 + 1)) / 2;
  }

  struct Place {
    double ratio = -kInfinity;
    Numbers top;  // largest |x|, descending, at most three
  };
  std::vector<Place> places_;
};

class LogZMeter : public NamedMeter {
 public:
  using NamedMeter::NamedMeter;

  void see_output(const at::Tensor& logits) override {
    const at::Tensor log_z = at::logsumexp(logits, -1);  // (B, T)
    sum_ += number_of(log_z.sum(at::kDouble));
    tokens_ += static_cast<double>(log_z.numel());
  }

  [[nodiscard]] NamedValues values() const override { return {{name(), sum_ / tokens_}}; }

 private:
  double sum_ = 0;
  double tokens_ = 0;
};

class UpdateMeter : public NamedMeter {
 public:
  using NamedMeter::NamedMeter;

  void see_moments(const std::vector<Parameter>& parameters, const AdamMoments& adam) override {
    if (adam.steps == 0) return;
    const double steps = static_cast<double>(adam.steps);
    const double first_share = 1 - std::pow(adam.beta1, steps);
    const double second_share = 1 - std::pow(adam.beta2, steps);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const at::Tensor m = adam.first[i].to(at::kDouble) / first_share;
      const at::Tensor v = adam.second[i].to(at::kDouble) / second_share;
      add(parameters[i].name, m / (v.sqrt() + adam.eps));
    }
  }

  [[nodiscard]] NamedValues values() const override {
    if (tensors_.empty()) return {};
    Numbers by_layer;
    for (const auto& [layer, sum] : by_layer_) by_layer.push_back(sum.rms());
    NamedValues values = with_layers(name(), all_.rms(), by_layer);
    values.emplace_back(name() + "/min", smallest(tensors_));
    return values;
  }

 private:
  struct Sum {
    void add(double more, double entries) {
      squares += more;
      n += entries;
    }
    [[nodiscard]] double rms() const { return std::sqrt(squares / n); }
    double squares = 0;
    double n = 0;
  };

  void add(const std::string& parameter, const at::Tensor& update) {
    Sum one;
    one.add(square_sum(update), static_cast<double>(update.numel()));
    tensors_.push_back(one.rms());
    all_.add(one.squares, one.n);
    if (const auto layer = layer_of(parameter)) by_layer_[*layer].add(one.squares, one.n);
  }

  Sum all_;
  std::map<std::size_t, Sum> by_layer_;
  Numbers tensors_;
};

template <typename Kind>
std::unique_ptr<Meter> make(const std::string& name, std::size_t layers) {
  return std::make_unique<Kind>(name, layers);
}

}  // namespace

const std::map<std::string, MakeMeter>& activation_meters() {
  static const std::map<std::string, MakeMeter> all = {
      {"kurtosis_rms_token", make<ShapeMeter<TokenKurtosis>>},
      {"kurtosis_excess_tensor", make<ShapeMeter<TensorKurtosis>>},
      {"residual_rms", make<ResidualRmsMeter>},
      {"massive_activation", make<MassiveMeter>},
      {"log_z", make<LogZMeter>},
      {"update_rms", make<UpdateMeter>}};
  return all;
}

}  // namespace sweep
