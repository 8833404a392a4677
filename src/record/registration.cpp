#include "sweep/record/registration.h"

#include "record/code.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/hash.h"
#include "sweep/base/process.h"
#include "sweep/base/version.h"
#include "sweep/record/floors.h"
#include "sweep/record/pilot.h"
#include "sweep/record/run_record.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

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

/// Results must be reproducible from a commit; code outside of one can be rebuilt by nobody.
Json code_to_lock(const std::string& uncommitted) {
  Json code = describe_code();
  if (code.at("clean").get<bool>()) return code;
  if (uncommitted.empty()) {
    fail(ExitCode::kRefused,
         "this program was built from code with uncommitted changes (commit {}), which nobody "
         "could build again: commit and build, or say --allow-dirty, which the lock records",
         code.at("commit").get<std::string>().empty() ? "none"
                                                      : code.at("commit").get<std::string>());
  }
  code["uncommitted_allowed_by"] = uncommitted;
  return code;
}

}  // namespace

Json describe_code() {
  const CodeVersion code = code_version();
  return {{"version", code.version}, {"commit", code.commit}, {"clean", code.clean}};
}

CorpusTable survey_corpora(const Prereg& prereg) {
  CorpusTable corpora;
  for (const auto& data : data_configs(prereg)) {
    corpora[corpus_key(data)] = facts_of(load_corpus(data, prereg.folder), data);
  }
  return corpora;
}

Registration register_sweep(const fs::path& file, const SweepDir& sweep,
                            const RegisterOptions& options) {
  if (fs::exists(sweep.lock())) {
    fail(ExitCode::kRefused, "{}: registered already", sweep.path.string());
  }
  Registration r;
  r.lock.code = code_to_lock(options.uncommitted);
  const std::string text = read_file(file);
  r.prereg = load_prereg(file);
  // Everything that can be wrong with the input comes to light before the first file is written.
  r.plan = expand(r.prereg, survey_corpora(r.prereg));
  const auto pilot = survey_pilot(r.prereg);

  fs::create_directories(sweep.runs());
  r.lock.corpora = store_corpora(r.prereg, sweep.data());
  store_floors(r.plan, sweep.data());
  if (pilot) r.lock.pilot_hash = store_pilot(*pilot, sweep);
  const std::string plan = plan_text(r.plan);
  publish(sweep.prereg(), text);
  publish(sweep.plan(), plan);
  r.lock.registered_at = utc_now();
  r.lock.prereg_hash = sha256(text);
  r.lock.content_hash = sha256(to_line(canonical(r.prereg)));
  r.lock.plan_hash = sha256(plan);
  r.lock.planned = r.plan.size();
  r.lock.data = hash_files(sweep.data());
  r.lock.numeric_identity = options.numeric_identity;
  publish(sweep.lock(), to_text(to_json(r.lock)));
  log_event(sweep, kRegisteredEvent, {{"lock", sha256_of_file(sweep.lock())}});
  return r;
}

Registration read_registration(const SweepDir& sweep) {
  Registration r;
  r.lock = lock_from_json(read_json(sweep.lock()));
  r.amendments = read_amendments(sweep);
  r.prereg = load_prereg(prereg_in_force(sweep, r.amendments));
  r.prereg.folder = sweep.path;
  const auto registered = read_registered_plan(sweep);
  r.plan = amended_plan(registered, r.amendments);
  const AmendmentEffect effect = effect_of(r.amendments);
  for (RunSpec& spec : specs_on_record(registered, r.amendments)) {
    const bool removed = effect.removed.contains(spec.id) && spec.block != kExploratoryBlock;
    if (removed) r.removed.push_back(std::move(spec));
  }
  return r;
}

fs::path prereg_in_force(const SweepDir& sweep, const std::vector<Amendment>& amendments) {
  for (auto a = amendments.rbegin(); a != amendments.rend(); ++a) {
    const bool replaces = a->kind == AmendmentKind::kChange || a->kind == AmendmentKind::kEditorial;
    if (replaces) return sweep.amended_prereg(a->number);
  }
  return sweep.prereg();
}

std::vector<Json> accepted_numerics(const Registration& registration) {
  std::vector<Json> accepted = {registration.lock.numeric_identity};
  for (const Amendment& amendment : registration.amendments) {
    if (amendment.kind == AmendmentKind::kNumerics) accepted.push_back(amendment.numeric_identity);
  }
  return accepted;
}

std::vector<std::string> numeric_differences(const Json& registered, const Json& here) {
  std::vector<std::string> lines;
  const auto differ = [&](const std::string& key, const Json& was, const Json& is) {
    if (was != is) {
      lines.push_back(fmt::format("{}: registered {}, here {}", key, to_line(was), to_line(is)));
    }
  };
  for (const auto& [key, value] : registered.items()) {
    differ(key, value, here.contains(key) ? here.at(key) : Json());
  }
  for (const auto& [key, value] : here.items()) {
    if (!registered.contains(key)) differ(key, Json(), value);
  }
  return lines;
}

std::vector<std::string> changes_since_registration(const SweepDir& sweep, const fs::path& file) {
  const fs::path in_force = prereg_in_force(sweep, read_amendments(sweep));
  return differences(load_prereg(in_force), load_prereg(file));
}

void log_event(const SweepDir& sweep, const std::string& event, const Json& details) {
  Json line = {{"time", utc_now()}, {"event", event}};
  line.update(details);
  append_line(sweep.events(), to_line(line));
}

std::vector<Json> events_of(const SweepDir& sweep, const std::string& event) {
  std::vector<Json> found;
  for (const std::string& line : read_lines(sweep.events())) {
    Json json = Json::parse(line, nullptr, false);
    if (json.is_object() && json.value("event", "") == event) found.push_back(std::move(json));
  }
  return found;
}

std::size_t count_events(const SweepDir& sweep, const std::string& event) {
  return events_of(sweep, event).size();
}

}  // namespace sweep
