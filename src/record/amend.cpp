#include <algorithm>
#include <map>
#include <set>

#include "record/code.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/hash.h"
#include "sweep/base/process.h"
#include "sweep/base/text.h"
#include "sweep/record/anchor.h"
#include "sweep/record/claim.h"
#include "sweep/record/journal.h"
#include "sweep/record/registration.h"
#include "sweep/record/run_record.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kShown = 5;

/// What every kind of amendment holds.
AmendmentDraft begin_draft(const SweepDir& sweep, const Registration& now, AmendmentKind kind,
                           const AmendmentWords& words) {
  AmendmentDraft draft;
  Amendment& a = draft.amendment;
  a.number = static_cast<int>(now.amendments.size()) + 1;
  a.previous = chain_of(sweep).back().hash;
  a.time = utc_now();
  a.kind = kind;
  a.what = words.what;
  a.why = words.why;
  a.impact = words.impact;
  a.seen = seen_now(sweep);
  a.code = describe_code();
  return draft;
}

/// Facts of the corpora as they were registered; those of others are read from the texts.
CorpusTable corpora_for(const Prereg& prereg, const Registration& now, CorpusTable& fresh) {
  CorpusTable known = now.lock.corpora;
  for (const Amendment& a : now.amendments) known.insert(a.corpora.begin(), a.corpora.end());
  for (const DataConfig& data : data_configs(prereg)) {
    const std::string key = corpus_key(data);
    if (known.contains(key)) continue;
    fresh[key] = facts_of(load_corpus(data, prereg.folder), data);
    known[key] = fresh[key];
  }
  return known;
}

/// What a run computes, whatever it is called.
std::string content_of(const RunSpec& spec) {
  return to_line(Json{to_json(spec.config), spec.seed, spec.data.hash});
}

std::string some_of(const std::vector<std::string>& ids) {
  const std::size_t shown = std::min(ids.size(), kShown);
  std::string text = join(std::span(ids).first(shown), ", ");
  if (ids.size() > shown) text += fmt::format(" and {} more", ids.size() - shown);
  return text;
}

/// A run whose cell got another name would have to be trained again, and findings would see it
/// twice.
void refuse_renamed(const std::vector<RunSpec>& plan, const std::vector<RunSpec>& wanted) {
  std::map<std::string, std::string> names;
  for (const RunSpec& spec : plan) {
    if (spec.block != kExploratoryBlock) names[spec.arm + content_of(spec)] = spec.id;
  }
  for (const RunSpec& spec : wanted) {
    const auto found = names.find(spec.arm + content_of(spec));
    if (found == names.end() || found->second == spec.id) continue;
    fail(ExitCode::kBadInput,
         "{} would be called {}: runs are named by arm and the grid's lines, so an amendment may "
         "change levels, settings, definitions and hypotheses, but not which lines the grid has "
         "or how arms are called. Register it as a sweep of its own.",
         found->second, spec.id);
  }
}

/// Its config.json says exploratory and could not be carried on under the plan.
void refuse_half_explored(const SweepDir& sweep, const RunSpec& spec) {
  const RunDir run = sweep.run(spec.id);
  if (!fs::exists(run.config()) || fs::exists(run.result())) return;
  fail(ExitCode::kRefused,
       "{} was started as an exploratory run and is not finished: 'sweep resume' it first",
       spec.id);
}

void change_plan(const SweepDir& sweep, const Registration& now, const std::vector<RunSpec>& wanted,
                 Amendment& amendment) {
  refuse_renamed(now.plan, wanted);
  std::map<std::string, const RunSpec*> planned;
  std::set<std::string> kept;
  for (const RunSpec& spec : now.plan) planned[spec.id] = &spec;
  for (const RunSpec& spec : wanted) {
    kept.insert(spec.id);
    const auto found = planned.find(spec.id);
    if (found != planned.end() && found->second->block != kExploratoryBlock) continue;
    if (found != planned.end()) refuse_half_explored(sweep, spec);
    amendment.added.push_back(spec);
  }
  for (const RunSpec& spec : now.plan) {
    if (spec.block != kExploratoryBlock && !kept.contains(spec.id)) {
      amendment.removed.push_back(spec.id);
    }
  }
}

void add_exploratory(const Registration& now, std::vector<RunSpec> wanted, Amendment& amendment) {
  std::set<std::string> planned;
  for (const RunSpec& spec : now.plan) planned.insert(content_of(spec));
  for (RunSpec& spec : wanted) {
    if (!planned.insert(content_of(spec)).second) continue;
    spec.block = kExploratoryBlock;
    amendment.added.push_back(std::move(spec));
  }
  if (amendment.added.empty()) {
    fail(ExitCode::kBadInput, "every run of this file is planned already: nothing to explore");
  }
  amendment.differences.push_back(count_of(amendment.added.size(), "run") +
                                  " outside the plan added");
}

void refuse_changes_of_meaning(const AmendmentDraft& draft, const Changes& changes) {
  if (changes.none()) return;
  fail(ExitCode::kRefused,
       "more than words would change, so this is no editorial amendment:\n  {}\nLeave --editorial "
       "out and say what, why and with what impact.",
       join(draft.amendment.differences, "\n  "));
}

void note_changes(const Changes& changes, Amendment& amendment) {
  amendment.definitions = changes.definitions;
  amendment.hypotheses = changes.hypotheses;
  amendment.analysis = changes.analysis;
}

std::string text_in_force(const SweepDir& sweep, const Registration& now) {
  return read_file(prereg_in_force(sweep, now.amendments));
}

using PairKey = std::string;

PairKey pair_of(const RunSpec& spec) {
  Json key = {spec.block, spec.seed};
  for (const Level& level : spec.levels) key.push_back({level.factor, level.value});
  return to_line(key);
}

/// Pairs of which some runs have a result and some have none.
std::map<PairKey, std::vector<RunRecord>> open_pairs(const SweepDir& sweep) {
  std::map<PairKey, std::vector<RunRecord>> pairs;
  for (RunRecord& record : read_records(sweep)) {
    pairs[pair_of(record.spec)].push_back(std::move(record));
  }
  std::erase_if(pairs, [](const auto& entry) {
    const auto finished =
        std::count_if(entry.second.begin(), entry.second.end(),
                      [](const RunRecord& record) { return record.result.has_value(); });
    return finished == 0 || static_cast<std::size_t>(finished) == entry.second.size();
  });
  return pairs;
}

std::string fingerprint_of(const Json& identity) { return identity.value("fingerprint", ""); }

/// Finished halves that could not be paired with a run under `fingerprint`.
std::vector<std::string> split_halves(const SweepDir& sweep, const std::string& fingerprint) {
  std::vector<std::string> halves;
  for (const auto& [key, records] : open_pairs(sweep)) {
    for (const RunRecord& record : records) {
      if (record.result && record.result->numeric_identity != fingerprint) {
        halves.push_back(record.spec.id);
      }
    }
  }
  return halves;
}

void move_aside(const SweepDir& sweep, const Amendment& amendment) {
  for (const std::string& id : amendment.set_aside) {
    const fs::path folder = sweep.set_aside() / fmt::format("{:04}", amendment.number);
    fs::create_directories(folder);
    fs::rename(sweep.run(id).path, folder / id);
  }
}

void store_new_corpora(const SweepDir& sweep, const AmendmentDraft& draft) {
  for (const DataConfig& data : data_configs(draft.prereg)) {
    if (!draft.amendment.corpora.contains(corpus_key(data))) continue;
    store_corpus(load_corpus(data, draft.prereg.folder), data, sweep.data());
  }
}

/// Token files that the amendment adds, with their descriptions.
std::map<std::string, std::string> new_data_files(const SweepDir& sweep, const Amendment& a) {
  std::map<std::string, std::string> files;
  for (const auto& [key, facts] : a.corpora) {
    for (const char* ending : {".bin", ".json"}) {
      const std::string name = facts.hash + ending;
      files[name] = sha256_of_file(sweep.data() / name);
    }
  }
  return files;
}

}  // namespace

AmendmentDraft draft_amendment(const SweepDir& sweep, const fs::path& file, AmendmentKind kind,
                               const AmendmentWords& words) {
  const Registration now = read_registration(sweep);
  AmendmentDraft draft = begin_draft(sweep, now, kind, words);
  Amendment& amendment = draft.amendment;
  draft.text = read_file(file);
  draft.prereg = load_prereg(file);
  amendment.prereg_hash = sha256(draft.text);
  amendment.content_hash = sha256(to_line(canonical(draft.prereg)));
  const CorpusTable corpora = corpora_for(draft.prereg, now, amendment.corpora);
  auto wanted = expand(draft.prereg, corpora);
  if (kind == AmendmentKind::kExploratory) {
    add_exploratory(now, std::move(wanted), amendment);
    return draft;
  }
  amendment.differences = differences(now.prereg, draft.prereg);
  const Changes changes = changes_between(now.prereg, draft.prereg);
  if (kind == AmendmentKind::kEditorial) {
    refuse_changes_of_meaning(draft, changes);
    if (draft.text == text_in_force(sweep, now)) {
      fail(ExitCode::kBadInput, "{} is what is in force, byte for byte", file.string());
    }
    return draft;
  }
  if (changes.none()) {
    fail(ExitCode::kBadInput,
         "{} means what is in force: there is nothing to amend (--editorial records a change of "
         "comments and wording)",
         file.string());
  }
  note_changes(changes, amendment);
  change_plan(sweep, now, wanted, amendment);
  draft.plan = std::move(wanted);
  return draft;
}

AmendmentDraft draft_numerics(const SweepDir& sweep, const Json& identity, bool redo_pairs,
                              const AmendmentWords& words) {
  const Registration now = read_registration(sweep);
  AmendmentDraft draft = begin_draft(sweep, now, AmendmentKind::kNumerics, words);
  const auto accepted = accepted_numerics(now);
  if (std::find(accepted.begin(), accepted.end(), identity) != accepted.end()) {
    fail(ExitCode::kBadInput, "these numerics are accepted already: 'sweep resume' carries on");
  }
  draft.amendment.numeric_identity = identity;
  draft.amendment.differences = numeric_differences(accepted.back(), identity);
  draft.amendment.set_aside = split_halves(sweep, fingerprint_of(identity));
  if (!draft.amendment.set_aside.empty() && !redo_pairs) {
    fail(ExitCode::kRefused,
         "{} finished under the numerics so far, the other half of the pair not: {}. Finish those "
         "pairs where they were begun, or give --redo-pairs, which sets the finished halves aside "
         "and trains the pairs anew.",
         count_of(draft.amendment.set_aside.size(), "run"), some_of(draft.amendment.set_aside));
  }
  return draft;
}

void record_amendment(const SweepDir& sweep, const AmendmentDraft& draft) {
  Claim owner = own_sweep(sweep);
  const Link last = chain_of(sweep).back();
  Amendment amendment = draft.amendment;
  if (last.hash != amendment.previous || seen_now(sweep).finished != amendment.seen.finished) {
    owner.give_back();
    fail(ExitCode::kRefused, "{} has changed meanwhile: try again", sweep.path.string());
  }
  fs::create_directories(sweep.amendments());
  store_new_corpora(sweep, draft);
  amendment.data = new_data_files(sweep, amendment);
  move_aside(sweep, amendment);
  if (!draft.text.empty()) publish(sweep.amended_prereg(amendment.number), draft.text);
  crash_point("amendment.before_json");
  publish(sweep.amendment(amendment.number), to_text(to_json(amendment)));
  log_event(sweep, kAmendedEvent,
            {{"number", amendment.number}, {"amendment", chain_of(sweep).back().hash}});
  owner.give_back();
}

std::vector<std::string> pairs_split_by(const SweepDir& sweep, const std::string& fingerprint) {
  std::vector<std::string> ids;
  for (const auto& [key, records] : open_pairs(sweep)) {
    const bool other = std::any_of(records.begin(), records.end(), [&](const RunRecord& record) {
      return record.result && record.result->numeric_identity != fingerprint;
    });
    for (const RunRecord& record : records) {
      if (other && !record.result) ids.push_back(record.spec.id);
    }
  }
  return ids;
}

}  // namespace sweep
