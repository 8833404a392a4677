#include "gpt/fused/linear.h"

#include "gpt/fused/norm.h"

namespace sweep {

void pack_weights(const Linear& linear) {
  pack_panels({linear.weight, 1, linear.in}, linear.in, linear.out, linear.forward_panels);
  pack_panels({linear.weight, linear.in, 1}, linear.out, linear.in, linear.backward_panels);
}

void linear_forward(const Linear& linear, const float* x, std::int64_t rows, float* y, Into into) {
  multiply({x, linear.in, 1}, rows, {linear.forward_panels, linear.in, linear.out}, {y, linear.out},
           into);
  if (linear.bias != nullptr) add_to_rows(linear.bias, rows, linear.out, y);
}

void linear_backward(const Linear& linear, const float* dy, std::int64_t rows, float* dx) {
  multiply({dy, linear.out, 1}, rows, {linear.backward_panels, linear.out, linear.in},
           {dx, linear.in}, Into::kSet);
}

void add_weight_gradient(const Linear& linear, const float* x, const float* dy, std::int64_t rows,
                         const LinearScratch& scratch) {
  const Panels panels = pack_panels({x, linear.in, 1}, rows, linear.in, scratch.panels);
  multiply({dy, 1, linear.out}, linear.out, panels, {linear.weight_gradient, linear.in},
           Into::kAdd);
  if (linear.bias_gradient != nullptr) {
    add_column_sums(dy, rows, linear.out, scratch.sums, linear.bias_gradient);
  }
}

}  // namespace sweep
