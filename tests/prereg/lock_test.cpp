#include "sweep/prereg/lock.h"

#include <gmock/gmock.h>

#include "prereg/sample.h"
#include "sweep/base/error.h"
#include "sweep/base/hash.h"

namespace sweep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// What differs between the sample and the sample with one piece replaced.
std::vector<std::string> after(const std::string& from, const std::string& to) {
  return differences(parsed(kSample), parsed(sample_with(from, to)));
}

TEST(Differences, AreNoneForCommentsWhiteSpaceOrderAndSpelling) {
  EXPECT_THAT(after("title: T\n", "# a comment\ntitle:   T   # another\n\n"), IsEmpty());
  EXPECT_THAT(after("[1e-3, 1e-2]", "[0.01, 1E-3]"), IsEmpty());
  EXPECT_THAT(after("title: T\nquestion: Q\n", "question: 'Q'\ntitle: T\n"), IsEmpty());
  EXPECT_THAT(after("{max_iters: 10}", "{max_iters: 10, beta2: 0.95}"), IsEmpty());
  EXPECT_THAT(after("title: T\n", "title: T\nexecution: {max_retries: 7}\n"), IsEmpty());
}

TEST(Differences, NameLevelsAndSeeds) {
  EXPECT_THAT(after("[1e-3, 1e-2]", "[1e-3, 3e-1]"),
              ElementsAre("grid train.learning_rate: level 1e-2 removed",
                          "grid train.learning_rate: level 3e-1 added"));
  EXPECT_THAT(after("  seed: [1]", "  seed: [1, 2]"), ElementsAre("grid: seed 2 added"));
  EXPECT_THAT(after("  seed: [1]", "  model.n_layer: [2]\n  seed: [1]"),
              ElementsAre("grid model.n_layer: level 2 added",
                          "roles.stratum[1]: "
                          "'model.n_layer' added"));
}

TEST(Differences, NameSettingsAndTexts) {
  EXPECT_THAT(after("max_iters: 10", "max_iters: 20, beta2: 0.99"),
              ElementsAre("train.beta2: 0.95 became 0.99", "train.max_iters: 10 became 20"));
  EXPECT_THAT(after("title: T", "title: U"), ElementsAre("title: 'T' became 'U'"));
}

TEST(Differences, NameArms) {
  EXPECT_THAT(after("rms_per_head", "ln_per_head"),
              ElementsAre("arms.qk.model.qk_norm: 'rms_per_head' became 'ln_per_head'"));
  const std::string swapped =
      sample_with("  base: {model.qk_norm: none}\n  qk: {model.qk_norm: rms_per_head}\n",
                  "  qk: {model.qk_norm: rms_per_head}\n  base: {model.qk_norm: none}\n");
  EXPECT_THAT(differences(parsed(kSample), parsed(swapped)),
              ElementsAre("control: 'base' became 'qk'"));
}

TEST(Differences, NameDefinitionsAndHypotheses) {
  const std::string rules = kSample +
                            "definitions:\n"
                            "  unusable: {any: [{rule: degraded, by: 0.3}]}\n"
                            "hypotheses:\n"
                            "  H1: {claim: c,\n"
                            "    supported_if: {quantity: necessity_lr, at_least: 0.1},\n"
                            "    contradicted_if: {quantity: necessity_lr, at_most: 0}}\n";
  std::string changed = rules;
  changed.replace(changed.find("by: 0.3"), 7, "by: 0.2");
  changed.replace(changed.find("at_least: 0.1"), 13, "at_least: 0.2");
  EXPECT_THAT(differences(parsed(rules), parsed(changed)),
              ElementsAre("definitions.unusable.any[1].by: 0.3 became 0.2",
                          "hypotheses.H1.supported_if.at_least: 0.1 became 0.2"));
}

TEST(Canonical, HashesEqualMeaningsEqually) {
  const auto hash = [](const std::string& text) {
    return sha256(to_line(canonical(parsed(text))));
  };
  EXPECT_EQ(hash(kSample), hash(sample_with("[1e-3, 1e-2]", "[ 1E-2,  0.001 ]   # rates")));
  EXPECT_NE(hash(kSample), hash(sample_with("[1e-3, 1e-2]", "[1e-3, 2e-2]")));
}

TEST(Lock, RoundTripsThroughJson) {
  Lock lock;
  lock.registered_at = "2026-08-01T12:00:00Z";
  lock.prereg_hash = sha256("yaml");
  lock.content_hash = sha256("content");
  lock.plan_hash = sha256("plan");
  lock.planned = 40;
  lock.code = {{"version", "0.1.0"}, {"commit", "abc"}, {"clean", true}};
  lock.data = {{"a.bin", sha256("a")}};
  DataConfig data;
  data.corpus = "kjv";
  lock.corpora[corpus_key(data)].hash = sha256("a");
  lock.numeric_identity = {{"kernel_path", "plain"}};
  const Lock read = lock_from_json(Json::parse(to_text(to_json(lock))));
  EXPECT_EQ(to_text(to_json(read)), to_text(to_json(lock)));
  EXPECT_EQ(read.corpora.at(corpus_key(data)).hash, sha256("a"));
}

TEST(Lock, RefusesADamagedFile) {
  EXPECT_THROW(lock_from_json(Json::parse("{}")), Error);
  EXPECT_THROW(lock_from_json(Json::parse(R"({"schema_version": 2})")), Error);
}

}  // namespace
}  // namespace sweep
