#include "sweep/record/registration.h"

#include <algorithm>

#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/hash.h"
#include "sweep/base/process.h"
#include "sweep/base/version.h"
#include "sweep/record/run_record.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

Json describe_code() {
  const CodeVersion code = code_version();
  return {{"version", code.version}, {"commit", code.commit}, {"clean", code.clean}};
}

CorpusTable store_corpora(const Prereg& prereg, const fs::path& folder) {
  CorpusTable corpora;
  for (const auto& data : data_configs(prereg)) {
    corpora[corpus_key(data)] = store_corpus(load_corpus(data, prereg.folder), data, folder);
  }
  return corpora;
}

std::map<std::string, std::string> hash_files(const fs::path& folder) {
  std::map<std::string, std::string> hashes;
  for (const auto& entry : fs::directory_iterator(folder)) {
    hashes[entry.path().filename().string()] = sha256_of_file(entry.path());
  }
  return hashes;
}

std::string plan_text(const std::vector<RunSpec>& plan) {
  std::string text;
  for (const auto& spec : plan) text += to_line(to_json(spec)) + "\n";
  return text;
}

}  // namespace

CorpusTable survey_corpora(const Prereg& prereg) {
  CorpusTable corpora;
  for (const auto& data : data_configs(prereg)) {
    corpora[corpus_key(data)] = facts_of(load_corpus(data, prereg.folder), data);
  }
  return corpora;
}

Registration register_sweep(const fs::path& file, const SweepDir& sweep,
                            const Json& numeric_identity) {
  if (fs::exists(sweep.lock())) {
    fail(ExitCode::kRefused, "{}: registered already", sweep.path.string());
  }
  Registration r;
  const std::string text = read_file(file);
  r.prereg = load_prereg(file);
  // Everything that can be wrong with the input comes to light before the first file is written.
  r.plan = expand(r.prereg, survey_corpora(r.prereg));

  fs::create_directories(sweep.runs());
  r.lock.corpora = store_corpora(r.prereg, sweep.data());
  const std::string plan = plan_text(r.plan);
  publish(sweep.prereg(), text);
  publish(sweep.plan(), plan);
  r.lock.registered_at = utc_now();
  r.lock.prereg_hash = sha256(text);
  r.lock.content_hash = sha256(to_line(canonical(r.prereg)));
  r.lock.plan_hash = sha256(plan);
  r.lock.planned = r.plan.size();
  r.lock.code = describe_code();
  r.lock.data = hash_files(sweep.data());
  r.lock.numeric_identity = numeric_identity;
  publish(sweep.lock(), to_text(to_json(r.lock)));
  log_event(sweep, "registered", {{"lock", sha256_of_file(sweep.lock())}});
  return r;
}

Registration read_registration(const SweepDir& sweep) {
  return {load_prereg(sweep.prereg()), lock_from_json(read_json(sweep.lock())), read_plan(sweep)};
}

std::vector<std::string> changes_since_registration(const SweepDir& sweep, const fs::path& file) {
  return differences(load_prereg(sweep.prereg()), load_prereg(file));
}

void log_event(const SweepDir& sweep, const std::string& event, const Json& details) {
  Json line = {{"time", utc_now()}, {"event", event}};
  line.update(details);
  append_line(sweep.events(), to_line(line));
}

std::size_t count_events(const SweepDir& sweep, const std::string& event) {
  const auto lines = read_lines(sweep.events());
  return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [&](const auto& line) {
    const Json json = Json::parse(line, nullptr, false);
    return json.is_object() && json.value("event", "") == event;
  }));
}

}  // namespace sweep
