#include "sweep/record/anchor.h"

#include <boost/program_options/value_semantic.hpp>
#include <cstdio>

#include "sweep/base/error.h"
#include "sweep/base/say.h"
#include "verb.h"

namespace sweep {
namespace {

void print_links(const SweepDir& sweep) {
  for (const Link& link : chain_of(sweep)) {
    fmt::print("{}  {}\n", link.hash, (sweep.path / link.name).string());
  }
  for (const Anchor& anchor : read_anchors(sweep)) {
    fmt::print("{} anchored: {}\n", anchor.link.name, describe(anchor));
  }
}

void request(const SweepDir& sweep) {
  const auto file = write_timestamp_request(sweep);
  fmt::print("{}\n", file.string());
  std::fflush(stdout);
  say(stderr,
      "send it to a time-stamp authority, for example with\n"
      "  curl -H 'Content-Type: application/timestamp-query' --data-binary @{} URL > answer.tsr\n"
      "and record the answer: sweep anchor {} --timestamp answer.tsr --ca AUTHORITY.pem",
      file.string(), sweep.path.string());
}

Anchor record(const SweepDir& sweep, const Arguments& arguments) {
  if (arguments.has("url")) return anchor_at(sweep, "url", arguments.get<std::string>("url"));
  if (arguments.has("osf")) return anchor_at(sweep, "osf", arguments.get<std::string>("osf"));
  return anchor_by_token(sweep, arguments.get<std::string>("timestamp"),
                         arguments.has("ca") ? arguments.get<std::string>("ca") : "");
}

int run(const Arguments& arguments) {
  const SweepDir sweep =
      find_sweep(arguments.positional.empty() ? "" : arguments.positional.front());
  int given = 0;
  for (const char* option : {"url", "osf", "timestamp", "request"}) given += arguments.has(option);
  if (given > 1) fail(ExitCode::kBadInput, "sweep anchor: one of its options at a time");
  if (arguments.has("ca") && !arguments.has("timestamp")) {
    fail(ExitCode::kBadInput, "sweep anchor: --ca belongs to --timestamp");
  }
  if (given == 0) {
    print_links(sweep);
  } else if (arguments.has("request")) {
    request(sweep);
  } else {
    const Anchor anchor = record(sweep, arguments);
    say(stderr, "recorded: {} ({}) in {}", anchor.link.name, describe(anchor),
        sweep.anchors().string());
  }
  return 0;
}

void add_options(po::options_description& options) {
  options.add_options()("url", po::value<std::string>(), "a page that shows the hash: a tag, ...");
  options.add_options()("osf", po::value<std::string>(), "the id of an OSF registration");
  options.add_options()("timestamp", po::value<std::string>(), "an RFC 3161 response or token");
  options.add_options()("ca", po::value<std::string>(), "its authority's certificates (PEM)");
  options.add_options()("request", "write a request to send to a time-stamp authority");
}

}  // namespace

const Verb& anchor_verb() {
  static const Verb verb{
      "anchor",
      "[DIR]",
      "show outside of this machine when a sweep was registered",
      "The clock of this machine proves nothing. What is anchored is the SHA-256 of lock.json or,\n"
      "after amendments, of the last one, which holds the hash of all before it. Without an "
      "option\n"
      "the hashes and the anchors on record are printed. A time stamp is verified here, offline,\n"
      "and again by 'sweep verify'; URLs and OSF ids are recorded as stated.",
      0,
      1,
      &add_options,
      &run};
  return verb;
}

}  // namespace sweep
