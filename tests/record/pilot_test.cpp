#include "sweep/record/pilot.h"

#include <gmock/gmock.h>

#include "support/temporary_folder.h"
#include "sweep/analysis/pilot.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/record/registration.h"
#include "sweep/record/run_record.h"

namespace sweep {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

constexpr const char* kPilot = R"(
title: A pilot
question: Where does the control break?
arms:
  base:   {model.qk_norm: none}
  qknorm: {model.qk_norm: rms_per_head}
grid:
  train.learning_rate: [1e-3, 1e-2]
  model.n_layer: [1, 2]
  seed: [901, 902]
model: {n_embd: 32, n_head: 2, block_size: 32}
data: {corpus: synthetic, synthetic_chars: 20000}
train: {max_iters: 30, batch_size: 8}
measure: {eval_interval: 10, eval_tokens: 512}
)";

constexpr const char* kMain = R"(
title: The sweep
question: Is the pilot read?
arms:
  base:   {model.qk_norm: none}
  qknorm: {model.qk_norm: rms_per_head}
grid:
  train.learning_rate: [1e-3, 1e-2, 1e-1]
  model.n_layer: [1, 2]
  seed: [1, 2]
model: {n_embd: 32, n_head: 2, block_size: 32}
data: {corpus: synthetic, synthetic_chars: 20000}
train: {max_iters: 30, batch_size: 8}
measure: {eval_interval: 10, eval_tokens: 512}
pilot: {sweep: pilot.sweep, seeds: [901, 902]}
definitions:
  convergence: {val_loss: {pilot_arm: base, best_final_plus: 0.05}}
)";

const RegisterOptions kOptions{Json::object(), "a test"};

/// A pilot that was registered and whose results are written by hand.
class PilotSweep : public testing::Test {
 protected:
  PilotSweep() {
    publish(folder_ / "pilot.yaml", kPilot);
    publish(folder_ / "main.yaml", kMain);
    register_sweep(folder_ / "pilot.yaml", pilot_, kOptions);
    main_ = load_prereg(folder_ / "main.yaml");
  }

  void finish(const RunSpec& spec, std::optional<double> loss) {
    RunResult result;
    result.id = spec.id;
    result.initial_val_loss = 3.4;
    result.final_val_loss = loss.value_or(std::numeric_limits<double>::quiet_NaN());
    if (!loss) result.outcome = {RunOutcome::Kind::kNonfinite, 3, "train_loss"};
    std::filesystem::create_directories(pilot_.run(spec.id).path);
    publish(pilot_.run(spec.id).result(), to_text(to_json(result)));
  }

  /// 2.0 and 2.1 at 1e-3, 2.4 and non-finite at 1e-2; a tenth lower with two layers.
  void finish_all() {
    for (const RunSpec& spec : read_plan(pilot_)) {
      const double lower = spec.config.model.n_layer == 2 ? 0.1 : 0;
      const bool second = spec.seed == 902;
      if (spec.config.train.learning_rate == 1e-3) {
        finish(spec, (second ? 2.1 : 2.0) - lower);
      } else {
        finish(spec, second ? std::nullopt : std::optional(2.4 - lower));
      }
    }
  }

  TemporaryFolder folder_;
  SweepDir pilot_{folder_ / "pilot.sweep"};
  Prereg main_;
};

TEST_F(PilotSweep, GivesTheBestSeedMeanOfEachStratum) {
  finish_all();
  const auto facts = survey_pilot(main_);
  ASSERT_TRUE(facts.has_value());
  EXPECT_THAT(facts->seeds, ElementsAre(901U, 902U));
  EXPECT_EQ(facts->cells.size(), 8U);
  const auto best = pilot_best(*facts);
  ASSERT_EQ(best.size(), 2U);
  EXPECT_EQ(best.front().arm, "base");
  EXPECT_EQ(best.back().arm, "qknorm");
  ASSERT_EQ(best.front().by_stratum.size(), 2U);
  const Stratum shallow{{{"model.n_layer", 1}}};
  const Stratum deep{{{"model.n_layer", 2}}};
  EXPECT_EQ(best.front().by_stratum[0].first, shallow);
  EXPECT_DOUBLE_EQ(best.front().by_stratum[0].second, 2.05);
  EXPECT_EQ(best.front().by_stratum[1].first, deep);
  EXPECT_DOUBLE_EQ(best.front().by_stratum[1].second, 1.95);
}

TEST_F(PilotSweep, ScatterIsThatOfCellsNearTheBest) {
  finish_all();
  EXPECT_THAT(pilot_sd(*survey_pilot(main_), 0.3),
              Optional(DoubleNear(0.1 / std::sqrt(2.0), 1e-12)));
}

TEST_F(PilotSweep, UnfinishedOneIsRefused) {
  finish(read_plan(pilot_).front(), 2.0);
  EXPECT_THAT(pilot_problem(main_), HasSubstr("is not complete"));
  EXPECT_THROW(survey_pilot(main_), Error);
  EXPECT_THROW(register_sweep(folder_ / "main.yaml", {folder_ / "main.sweep"}, kOptions), Error);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "main.sweep"));
}

TEST_F(PilotSweep, AbsentOneIsNamed) {
  main_.pilot["sweep"] = "elsewhere.sweep";
  EXPECT_THAT(pilot_problem(main_), HasSubstr("no sweep at"));
}

TEST_F(PilotSweep, SeedsAreThoseDeclared) {
  finish_all();
  main_.pilot["seeds"] = {901};
  EXPECT_THAT(pilot_problem(main_), HasSubstr("trained with seeds 901, 902"));
}

TEST_F(PilotSweep, IsLockedWithTheSweepThatItDecides) {
  finish_all();
  const SweepDir sweep{folder_ / "main.sweep"};
  register_sweep(folder_ / "main.yaml", sweep, kOptions);
  EXPECT_THAT(verify_sweep(sweep), ElementsAre());
  const auto before = survey_pilot(main_);
  std::filesystem::remove_all(pilot_.path);
  EXPECT_EQ(read_pilot(sweep), before);
  publish(sweep.pilot(), "{}");
  ASSERT_EQ(verify_sweep(sweep).size(), 1U);
  EXPECT_THAT(verify_sweep(sweep).front(), HasSubstr("pilot.json"));
}

TEST_F(PilotSweep, HashCoversEveryResult) {
  finish_all();
  const std::string before = survey_pilot(main_)->hash;
  finish(read_plan(pilot_).front(), 2.01);
  EXPECT_NE(survey_pilot(main_)->hash, before);
}

}  // namespace
}  // namespace sweep
