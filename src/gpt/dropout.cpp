#include "gpt/dropout.h"

#include <cmath>

#include "sweep/base/random.h"

namespace sweep {
namespace {

at::Tensor draw_mask(at::IntArrayRef shape, double p, const DropoutDraw& draw,
                     const std::string& where) {
  at::Tensor mask = at::empty(shape, at::kFloat);
  RandomStream stream(draw.seed, "dropout/" + where, draw.step);
  const auto threshold = static_cast<std::uint64_t>(std::llround(p * 0x1p32));
  float* values = mask.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < mask.numel(); ++i) {
    values[i] = stream.next_u32() >= threshold ? 1.0F : 0.0F;
  }
  return mask;
}

}  // namespace

at::Tensor dropout(const at::Tensor& x, double p, const DropoutDraw* draw,
                   const std::string& where) {
  if (draw == nullptr || p == 0) return x;
  const at::Tensor mask = draw_mask(x.sizes(), p, *draw, where).to(x.options());
  return x * mask.div(1 - p);
}

}  // namespace sweep
