#include "sweep/record/anchor.h"

#include <algorithm>

#include "record/timestamp.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/hash.h"
#include "sweep/base/process.h"
#include "sweep/record/amendment.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

constexpr const char* kToken = "rfc3161";

Json to_json(const Anchor& anchor) {
  return {{"time", anchor.time},
          {"kind", anchor.kind},
          {"of", anchor.link.name},
          {"sha256", anchor.link.hash},
          {"where", anchor.where},
          {"authority", anchor.authority},
          {"stamped_at", anchor.stamped_at}};
}

Anchor record(const SweepDir& sweep, Anchor anchor) {
  anchor.time = utc_now();
  append_line(sweep.anchors(), to_line(to_json(anchor)));
  return anchor;
}

/// A file of anchors/ that is not there yet: 0001.tsr, 0002.tsr, ...
std::string free_name(const SweepDir& sweep, const char* ending) {
  for (int number = 1;; ++number) {
    std::string name = fmt::format("{:04}{}", number, ending);
    if (!fs::exists(sweep.anchor_files() / name)) return name;
  }
}

std::string keep(const SweepDir& sweep, const std::string& bytes, const char* ending) {
  const std::string name = free_name(sweep, ending);
  publish(sweep.anchor_files() / name, bytes);
  return name;
}

Link link_with(const SweepDir& sweep, const std::string& hash, const fs::path& token) {
  for (const Link& link : chain_of(sweep)) {
    if (link.hash == hash) return link;
  }
  fail(ExitCode::kRefused,
       "{}: is a time stamp of something else than this sweep's lock or amendments "
       "(SHA-256 {})",
       token.string(), hash.empty() ? "of another kind" : hash);
}

std::string token_problem(const SweepDir& sweep, const Anchor& anchor) {
  const std::string der = read_file(sweep.anchor_files() / anchor.where);
  if (read_timestamp(der).hash != anchor.link.hash) return "is a token of something else";
  if (anchor.authority.empty()) return "";
  const std::string pem = read_file(sweep.anchor_files() / anchor.authority);
  const std::string problem = timestamp_problem(der, anchor.link.hash, pem);
  return problem.empty() ? "" : "does not verify: " + problem;
}

std::string problem_of(const SweepDir& sweep, const std::vector<Link>& chain,
                       const Anchor& anchor) {
  if (std::find(chain.begin(), chain.end(), anchor.link) == chain.end()) {
    return fmt::format("anchored {} with another content than it has now", anchor.link.name);
  }
  if (anchor.kind != kToken) return "";
  try {
    return token_problem(sweep, anchor);
  } catch (const Error& e) {
    return e.what();
  }
}

}  // namespace

std::vector<Link> chain_of(const SweepDir& sweep) {
  std::vector<Link> chain = {{"lock.json", sha256_of_file(sweep.lock())}};
  for (const Amendment& amendment : read_amendments(sweep)) {
    const fs::path file = sweep.amendment(amendment.number);
    chain.push_back({"amendments/" + file.filename().string(), sha256_of_file(file)});
  }
  return chain;
}

Anchor anchor_at(const SweepDir& sweep, const std::string& kind, const std::string& where) {
  Anchor anchor;
  anchor.kind = kind;
  anchor.link = chain_of(sweep).back();
  anchor.where = where;
  return record(sweep, std::move(anchor));
}

Anchor anchor_by_token(const SweepDir& sweep, const fs::path& token, const fs::path& certificates) {
  const std::string der = read_file(token);
  const Timestamp stamp = read_timestamp(der);
  Anchor anchor;
  anchor.kind = kToken;
  anchor.link = link_with(sweep, stamp.hash, token);
  anchor.stamped_at = stamp.time;
  const std::string pem = certificates.empty() ? "" : read_file(certificates);
  if (!pem.empty()) {
    const std::string problem = timestamp_problem(der, stamp.hash, pem);
    if (!problem.empty()) {
      fail(ExitCode::kRefused, "{}: does not verify against {}: {}", token.string(),
           certificates.string(), problem);
    }
  }
  fs::create_directories(sweep.anchor_files());
  if (!pem.empty()) anchor.authority = keep(sweep, pem, ".pem");
  anchor.where = keep(sweep, der, ".tsr");
  return record(sweep, std::move(anchor));
}

fs::path write_timestamp_request(const SweepDir& sweep) {
  const Link link = chain_of(sweep).back();
  fs::create_directories(sweep.anchor_files());
  const fs::path file = sweep.anchor_files() / (fs::path(link.name).stem().string() + ".tsq");
  publish(file, timestamp_request(link.hash));
  return file;
}

std::vector<Anchor> read_anchors(const SweepDir& sweep) {
  std::vector<Anchor> anchors;
  for (const std::string& line : read_lines(sweep.anchors())) {
    try {
      const Json json = Json::parse(line);
      anchors.push_back({json.at("time"),
                         json.at("kind"),
                         {json.at("of"), json.at("sha256")},
                         json.at("where"),
                         json.at("authority"),
                         json.at("stamped_at")});
    } catch (const Json::exception& e) {
      fail(ExitCode::kBadInput, "{}:{}: damaged line ({})", sweep.anchors().string(),
           anchors.size() + 1, e.what());
    }
  }
  return anchors;
}

std::string describe(const Anchor& anchor) {
  if (anchor.kind == "url") return anchor.where + ", as stated";
  if (anchor.kind == "osf") return fmt::format("OSF {}, as stated", anchor.where);
  return fmt::format(
      "RFC 3161 token of {}, {}", anchor.stamped_at,
      anchor.authority.empty() ? "its authority not verified" : "its authority verified");
}

std::vector<std::string> anchor_problems(const SweepDir& sweep) {
  std::vector<std::string> problems;
  const auto chain = chain_of(sweep);
  for (const Anchor& anchor : read_anchors(sweep)) {
    const std::string problem = problem_of(sweep, chain, anchor);
    if (problem.empty()) continue;
    const std::string name = anchor.kind == kToken ? "anchors/" + anchor.where : anchor.where;
    problems.push_back(fmt::format("{} {}", name, problem));
  }
  return problems;
}

}  // namespace sweep
