#include "gpt/tensor_bytes.h"

#include <c10/core/GradMode.h>

#include <memory>

#include "sweep/base/error.h"

namespace sweep {

TensorBytes to_bytes(const std::string& name, const at::Tensor& tensor) {
  const auto here = std::make_shared<at::Tensor>(tensor.detach().to(at::kCPU).contiguous());
  const auto sizes = here->sizes();
  return {name,
          here->scalar_type() == at::kDouble ? "F64" : "F32",
          {sizes.begin(), sizes.end()},
          {static_cast<const char*>(here->const_data_ptr()), here->nbytes()},
          here};
}

void require_like(const TensorBytes& wanted, const Safetensors& file) {
  const TensorBytes* const found = file.find(wanted.name);
  if (found == nullptr) fail(ExitCode::kBadInput, "tensor {} is missing", wanted.name);
  if (found->dtype != wanted.dtype || found->shape != wanted.shape) {
    fail(ExitCode::kBadInput, "tensor {} is {} [{}], expected {} [{}]", wanted.name, found->dtype,
         fmt::join(found->shape, ", "), wanted.dtype, fmt::join(wanted.shape, ", "));
  }
}

void copy_into(const at::Tensor& tensor, const TensorBytes& bytes) {
  const c10::NoGradGuard no_grad;
  // from_blob wants a mutable pointer and only reads through it here.
  const at::Tensor source = at::from_blob(const_cast<char*>(bytes.bytes.data()), tensor.sizes(),
                                          at::TensorOptions().dtype(tensor.scalar_type()));
  tensor.copy_(source);
}

at::Tensor to_ids(std::vector<std::int64_t>& ids, std::int64_t width, at::Device device) {
  const auto rows = static_cast<std::int64_t>(ids.size()) / width;
  return at::from_blob(ids.data(), {rows, width}, at::TensorOptions().dtype(at::kLong)).to(device);
}

}  // namespace sweep
