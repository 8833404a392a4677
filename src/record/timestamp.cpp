#include "record/timestamp.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ts.h>

#include <ctime>
#include <memory>

#include "sweep/base/error.h"

namespace sweep {
namespace {

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
template <typename T, auto kFree>
using Owned = std::unique_ptr<T, Freed<kFree>>;

using Response = Owned<TS_RESP, TS_RESP_free>;
using Token = Owned<PKCS7, PKCS7_free>;
using Info = Owned<TS_TST_INFO, TS_TST_INFO_free>;
using Request = Owned<TS_REQ, TS_REQ_free>;
using Imprint = Owned<TS_MSG_IMPRINT, TS_MSG_IMPRINT_free>;
using Algorithm = Owned<X509_ALGOR, X509_ALGOR_free>;
using Check = Owned<TS_VERIFY_CTX, TS_VERIFY_CTX_free>;
using Certificates = Owned<BIO, BIO_vfree>;

std::string reason_of_failure() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason != nullptr ? reason : "unknown reason";
}

const unsigned char* bytes_of(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Token token_of_response(const std::string& der) {
  const unsigned char* at = bytes_of(der);
  const Response response(d2i_TS_RESP(nullptr, &at, static_cast<long>(der.size())));
  if (!response) return nullptr;
  PKCS7* token = TS_RESP_get_token(response.get());
  if (token == nullptr) {
    fail(ExitCode::kBadInput,
         "the authority did not grant a time stamp: the response has no token");
  }
  return Token(PKCS7_dup(token));
}

Token parse_token(const std::string& der) {
  if (Token token = token_of_response(der)) return token;
  const unsigned char* at = bytes_of(der);
  Token token(d2i_PKCS7(nullptr, &at, static_cast<long>(der.size())));
  ERR_clear_error();
  if (!token) fail(ExitCode::kBadInput, "not an RFC 3161 response or token in DER");
  return token;
}

Info info_of(const Token& token) {
  Info info(PKCS7_to_TS_TST_INFO(token.get()));
  ERR_clear_error();
  if (!info) fail(ExitCode::kBadInput, "signed data, but no RFC 3161 token");
  return info;
}

std::tm time_of(const Info& info) {
  std::tm time{};
  if (ASN1_TIME_to_tm(TS_TST_INFO_get_time(info.get()), &time) != 1) {
    fail(ExitCode::kBadInput, "the token's time cannot be read");
  }
  return time;
}

std::string in_words(const std::tm& time) {
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &time);
  return text;
}

std::string hash_of(const Info& info) {
  TS_MSG_IMPRINT* imprint = TS_TST_INFO_get_msg_imprint(info.get());
  const ASN1_OBJECT* algorithm = nullptr;
  X509_ALGOR_get0(&algorithm, nullptr, nullptr, TS_MSG_IMPRINT_get_algo(imprint));
  if (OBJ_obj2nid(algorithm) != NID_sha256) return "";
  const ASN1_OCTET_STRING* digest = TS_MSG_IMPRINT_get_msg(imprint);
  std::string hex;
  for (int i = 0; i < ASN1_STRING_length(digest); ++i) {
    hex += fmt::format("{:02x}", ASN1_STRING_get0_data(digest)[i]);
  }
  return hex;
}

/// The 32 bytes of a hash in hexadecimal, in memory that libcrypto may take over.
unsigned char* digest_of(const std::string& hash, long& length) {
  unsigned char* bytes = OPENSSL_hexstr2buf(hash.c_str(), &length);
  if (bytes == nullptr) fail(ExitCode::kBadInput, "'{}' is no hash", hash);
  return bytes;
}

X509_STORE* trusted(const std::string& certificates, const std::tm& time) {
  X509_STORE* store = X509_STORE_new();
  const Certificates in(
      BIO_new_mem_buf(certificates.data(), static_cast<int>(certificates.size())));
  while (X509* certificate = PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr)) {
    X509_STORE_add_cert(store, certificate);
    X509_free(certificate);
  }
  ERR_clear_error();  // the end of the file is one
  std::tm copy = time;
  X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store), ::timegm(&copy));
  return store;
}

/// Both are the check's to free.
void set_up(const Check& check, X509_STORE* store, unsigned char* digest, long length) {
#if OPENSSL_VERSION_NUMBER >= 0x30400000L
  TS_VERIFY_CTX_set0_store(check.get(), store);
  TS_VERIFY_CTX_set0_imprint(check.get(), digest, length);
#else
  TS_VERIFY_CTX_set_store(check.get(), store);
  TS_VERIFY_CTX_set_imprint(check.get(), digest, length);
#endif
}

void need(bool done) {
  if (!done) fail(ExitCode::kResources, "libcrypto: {}", reason_of_failure());
}

}  // namespace

Timestamp read_timestamp(const std::string& der) {
  const Info info = info_of(parse_token(der));
  return {in_words(time_of(info)), hash_of(info)};
}

std::string timestamp_problem(const std::string& der, const std::string& hash,
                              const std::string& certificates) {
  const Token token = parse_token(der);
  const Info info = info_of(token);
  long length = 0;
  unsigned char* digest = digest_of(hash, length);
  const Check check(TS_VERIFY_CTX_new());
  set_up(check, trusted(certificates, time_of(info)), digest, length);
  TS_VERIFY_CTX_set_flags(check.get(), TS_VFY_VERSION | TS_VFY_IMPRINT | TS_VFY_SIGNATURE);
  ERR_clear_error();
  if (TS_RESP_verify_token(check.get(), token.get()) == 1) return "";
  return reason_of_failure();
}

std::string timestamp_request(const std::string& hash) {
  long length = 0;
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> digest(
      digest_of(hash, length), [](unsigned char* bytes) { OPENSSL_free(bytes); });
  const Request request(TS_REQ_new());
  const Imprint imprint(TS_MSG_IMPRINT_new());
  const Algorithm algorithm(X509_ALGOR_new());
  need(X509_ALGOR_set0(algorithm.get(), OBJ_nid2obj(NID_sha256), V_ASN1_NULL, nullptr) == 1);
  need(TS_MSG_IMPRINT_set_algo(imprint.get(), algorithm.get()) == 1);
  need(TS_MSG_IMPRINT_set_msg(imprint.get(), digest.get(), static_cast<int>(length)) == 1);
  need(TS_REQ_set_version(request.get(), 1) == 1);
  need(TS_REQ_set_msg_imprint(request.get(), imprint.get()) == 1);
  need(TS_REQ_set_cert_req(request.get(), 1) == 1);
  unsigned char* der = nullptr;
  const int size = i2d_TS_REQ(request.get(), &der);
  need(size > 0);
  std::string text(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return text;
}

}  // namespace sweep
