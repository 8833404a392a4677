#pragma once

#include <string>

namespace sweep {

/// What an RFC 3161 token says.
struct Timestamp {
  std::string time;  ///< UTC, by the authority's clock
  std::string hash;  ///< SHA-256 that it was given; "" when made with another algorithm
};

/// Reads a time-stamp response (.tsr) or a bare token, in DER. Throws `Error` (`kBadInput`) when it
/// is neither, or a response that was not granted.
Timestamp read_timestamp(const std::string& der);

/// Why the token does not prove that `hash` existed at its time, as signed by an authority that
/// chains up to `certificates` (PEM); "" when it does. Chains are judged as of the token's time, so
/// that it outlives the authority's certificate.
std::string timestamp_problem(const std::string& der, const std::string& hash,
                              const std::string& certificates);

/// A request for a token over a SHA-256 (hexadecimal), in DER, asking for the certificate too.
std::string timestamp_request(const std::string& hash);

}  // namespace sweep
