#include "sweep/base/hash.h"

#include <openssl/evp.h>

#include <fstream>
#include <memory>

#include "sweep/base/error.h"

namespace sweep {
namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }
  void update(const void* data, std::size_t size) { EVP_DigestUpdate(context_.get(), data, size); }
  std::string hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &size);
    std::string text;
    for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes.data(), bytes.size());
  return hash.hex();
}

std::string sha256_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(ExitCode::kBadInput, "cannot open {}", file.string());
  Sha256 hash;
  char buffer[1 << 16];
  while (in.read(buffer, sizeof buffer), in.gcount() > 0) {
    hash.update(buffer, static_cast<std::size_t>(in.gcount()));
  }
  return hash.hex();
}

}  // namespace sweep
