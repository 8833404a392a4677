#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/record/sweep_dir.h"

namespace sweep {

/// One link of a sweep's chain: lock.json, then each amendment. The hash of the last one stands for
/// all before it.
struct Link {
  std::string name;  ///< "lock.json", "amendments/0002.json"
  std::string hash;  ///< SHA-256 of its bytes
  bool operator==(const Link&) const = default;
};

std::vector<Link> chain_of(const SweepDir& sweep);

/// A place outside the sweep that shows when a link existed: anchors.jsonl.
struct Anchor {
  std::string time;        ///< UTC, when it was recorded here
  std::string kind;        ///< "url", "osf", "rfc3161"
  Link link;               ///< what it holds
  std::string where;       ///< the URL, the OSF id, or the token's file in anchors/
  std::string authority;   ///< rfc3161: file in anchors/ with the certificates; "" when not given
  std::string stamped_at;  ///< rfc3161: UTC, by the authority's clock
};

/// A page that shows the hash of the last link: a tag, a release, a registry. Recorded as stated.
Anchor anchor_at(const SweepDir& sweep, const std::string& kind, const std::string& where);

/// An RFC 3161 token over one of the sweep's links. The token and the certificates (PEM) that it is
/// verified against are kept in anchors/. Throws `Error` (`kRefused`) when it is of something else
/// or does not verify. Without certificates only its hash and time are read, and the record says
/// so.
Anchor anchor_by_token(const SweepDir& sweep, const std::filesystem::path& token,
                       const std::filesystem::path& certificates);

/// Writes anchors/NAME.tsq, a request over the last link to send to an authority; its path.
std::filesystem::path write_timestamp_request(const SweepDir& sweep);

std::vector<Anchor> read_anchors(const SweepDir& sweep);

/// In words: "URL", "OSF abc12", "RFC 3161 token of 2026-01-02T03:04:05Z, authority verified".
std::string describe(const Anchor& anchor);

/// One sentence for each anchor that does not hold.
std::vector<std::string> anchor_problems(const SweepDir& sweep);

}  // namespace sweep
