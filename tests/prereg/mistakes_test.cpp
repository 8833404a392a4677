#include <gmock/gmock.h>

#include "prereg/sample.h"

namespace sweep {
namespace {

using testing::ElementsAre;

/// One mistake put into the sample, and what must be said of it; nothing else may be said.
struct Mistake {
  const char* name;
  const char* from;
  const char* to;
  const char* said;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.to; }

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, IsReportedWithItsPlaceAndNothingElse) {
  const Mistake& m = GetParam();
  EXPECT_THAT(problems_of(sample_with(m.from, m.to)), ElementsAre(m.said));
}

std::string name_of(const testing::TestParamInfo<Mistake>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    OfScalars, Mistakes,
    testing::Values(
        Mistake{"LeadingZero", "max_iters: 10", "max_iters: 010",
                "10:20 train.max_iters: must be a whole number: '010' begins with a zero, which "
                "some read as octal"},
        Mistake{"QuotedNumber", "max_iters: 10", "max_iters: '10'",
                "10:20 train.max_iters: must be a whole number without quotes"},
        Mistake{"Hexadecimal", "max_iters: 10", "max_iters: 0x10",
                "10:20 train.max_iters: must be a whole number, not '0x10'"},
        Mistake{"Separators", "max_iters: 10", "max_iters: 1_000",
                "10:20 train.max_iters: must be a whole number, not '1_000'"},
        Mistake{"WholeWithExponent", "max_iters: 10", "max_iters: 1e3",
                "10:20 train.max_iters: must be a whole number in plain digits, not '1e3'"},
        Mistake{"Fraction", "max_iters: 10", "max_iters: 10.5",
                "10:20 train.max_iters: must be a whole number in plain digits, not '10.5'"},
        Mistake{"TooLarge", "max_iters: 10", "max_iters: 99999999999999999999",
                "10:20 train.max_iters: must be a whole number in plain digits, not "
                "'99999999999999999999'"},
        Mistake{"OutOfRange", "max_iters: 10", "max_iters: 0",
                "10:20 train.max_iters: must be at least 1, not 0"},
        Mistake{"Empty", "max_iters: 10",
                "max_iters: ", "10:9 train.max_iters: has no value: it must be a whole number"},
        Mistake{"Null", "max_iters: 10", "max_iters: ~",
                "10:9 train.max_iters: has no value: it must be a whole number"},
        Mistake{"ListForNumber", "max_iters: 10", "max_iters: [10]",
                "10:20 train.max_iters: must be a whole number, not a list"},
        Mistake{"YesForFlag", "max_iters: 10}", "max_iters: 10}\nmodel: {bias: yes}",
                "11:15 model.bias: must be true or false (on or off will do), not 'yes'"},
        Mistake{"QuotedFlag", "max_iters: 10}", "max_iters: 10}\nmodel: {bias: 'on'}",
                "11:15 model.bias: must be true or false without quotes"},
        Mistake{"NumberForFlag", "max_iters: 10}", "max_iters: 10}\nmodel: {bias: 1}",
                "11:15 model.bias: must be true or false (on or off will do), not '1'"},
        Mistake{"Nan", "max_iters: 10", "beta2: .nan",
                "10:16 train.beta2: must be a finite number, not '.nan'"},
        Mistake{"Infinity", "max_iters: 10", "grad_clip: .inf",
                "10:20 train.grad_clip: must be a finite number, not '.inf'"},
        Mistake{"WordForNumber", "max_iters: 10", "beta2: high",
                "10:16 train.beta2: must be a number, not 'high'"},
        Mistake{"UnknownWord", "synthetic", "synthetik",
                "9:16 data.corpus: must be one of files, kjv, synthetic; 'synthetik' is not, did "
                "you mean 'synthetic'?"},
        Mistake{"WordForList", "corpus: synthetic", "files: a.txt",
                "9:15 data.files: must be a list [ ], not 'a.txt'"},
        Mistake{"MissingCommaInWords", "corpus: synthetic", "files: [a.txt b.txt]",
                "9:16 data.files: 'a.txt b.txt' holds a space: is a comma missing? One name with "
                "a space needs quotes"},
        Mistake{"EmptyText", "title: T", "title: ''", "1:8 title: is an empty text"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    OfKeys, Mistakes,
    testing::Values(
        Mistake{"UnknownSection",
                "train:", "trian:", "10:1 trian: no such key; did you mean 'train'?"},
        Mistake{"UnheardOfSection", "train:", "zebra:",
                "10:1 zebra: no such key; known here: title, question, arms, arms_reason, grid, "
                "roles, model, data, train, measure, pilot, definitions, hypotheses, analysis, "
                "gates, robustness, execution"},
        Mistake{"UnknownKey", "max_iters: 10", "max_iter: 10",
                "10:9 train.max_iter: no such key; did you mean 'max_iters'?"},
        Mistake{"KeyOfAnotherSection", "max_iters: 10", "n_layer: 10",
                "10:9 train.n_layer: no such key; did you mean 'model.n_layer'?"},
        Mistake{"ShortName", "max_iters: 10", "lrs: [1e-3]",
                "10:9 train.lrs: no such key; did you mean 'learning_rate'?"},
        Mistake{"PathInSection", "max_iters: 10", "train.max_iters: 10",
                "10:9 train.train.max_iters: keys stand here without 'train.'"},
        Mistake{"DuplicateKey", "max_iters: 10", "max_iters: 10, max_iters: 20",
                "10:24 max_iters: stands in line 10 already"},
        Mistake{"DuplicateSection",
                "data:", "title: U\ndata:", "9:1 title: stands in line 1 already"},
        Mistake{"MergeKey", "max_iters: 10", "<<: {max_iters: 10}",
                "10:9 <<: merge keys are not used here: write it out"},
        Mistake{"KeyThatIsAList", "{max_iters: 10}", "{? [a, b] : 1}",
                "10:11 a key must be a word"},
        Mistake{"MissingTitle", "title: T\n", "",
                "1:1 title: is missing: every pre-registration has it"},
        Mistake{"SectionThatIsAList", "{max_iters: 10}", "[1, 2]",
                "10:8 train: must be a map { }, not a list"},
        Mistake{"UnknownExecutionKey", "{max_iters: 10}", "{}\nexecution: {max_retry: 3}",
                "11:13 execution.max_retry: no such key; did you mean 'max_retries'?"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    OfArms, Mistakes,
    testing::Values(
        Mistake{"OneArm", "  base: {model.qk_norm: none}\n", "",
                "4:3 arms: needs two arms at least, the control first"},
        Mistake{"UnknownField", "qk: {model.qk_norm: rms_per_head}", "qk: {model.qknorm: none}",
                "5:8 model.qknorm: no such field; did you mean 'model.qk_norm'?"},
        Mistake{"FieldWithoutSection", "base: {model.qk_norm: none}", "base: {qk_norm: none}",
                "4:10 qk_norm: no such field; did you mean 'model.qk_norm'?"},
        Mistake{"DevicePerArm", "{model.qk_norm: rms_per_head}", "{train.device: mps}",
                "5:8 train.device: all runs of a sweep train on one device, or its rounding would "
                "be compared: it is set under train"},
        Mistake{"EqualArms", "rms_per_head", "none", "5:7 arms.qk: is the same as arm base"},
        Mistake{"TwoFieldsWithoutReason", "{model.qk_norm: rms_per_head}",
                "{model.qk_norm: rms_per_head, train.beta2: 0.9}",
                "4:3 arms: differ in more than one field (model.qk_norm, train.beta2): say why in "
                "'arms_reason'"},
        Mistake{"NameUnfitForFiles", "qk:", "q/k:",
                "5:3 arms.q/k: an arm's name has letters, digits and '_' only, 40 of them at most"},
        Mistake{"ArmAndGrid", "{model.qk_norm: rms_per_head}", "{train.learning_rate: 1}",
                "5:8 train.learning_rate: the grid sets it too (line 7): leave one out"},
        Mistake{"SectionAndEveryArm", "{max_iters: 10}", "{}\nmodel: {qk_norm: none}",
                "11:9 model.qk_norm: every arm sets it: leave it out here"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    OfGrids, Mistakes,
    testing::Values(
        Mistake{"UnknownLine", "train.learning_rate", "train.lerning_rate",
                "7:3 train.lerning_rate: no such field; did you mean 'train.learning_rate'?"},
        Mistake{"DeviceInTheGrid", "seed: [1]", "seed: [1]\n  train.device: [cpu, mps]",
                "9:3 train.device: all runs of a sweep train on one device, or its rounding would "
                "be compared: it is set under train"},
        Mistake{"MissingComma", "[1e-3, 1e-2]", "[1e-3 1e-2]",
                "7:25 train.learning_rate: must be a number, not '1e-3 1e-2': is a comma missing?"},
        Mistake{"EqualLevelsInTwoSpellings", "[1e-3, 1e-2]", "[0.3, 3e-1]",
                "7:30 train.learning_rate: level 0.3 stands here twice"},
        Mistake{"LevelThatIsNan", "[1e-3, 1e-2]", "[1e-3, nan]",
                "7:31 train.learning_rate: must be a finite number, not 'nan'"},
        Mistake{"LevelOutOfRange", "[1e-3, 1e-2]", "[0, 1e-2]",
                "7:25 train.learning_rate: must be at least 1e-12, not 0"},
        Mistake{"EmptyLevel", "[1e-3, 1e-2]", "[1e-3,, 1e-2]",
                "7:30 train.learning_rate: has no value: it must be a number"},
        Mistake{"NoSeed", "  seed: [1]\n", "",
                "7:3 grid: 'seed' is missing: list the replicates, such as seed: [1, 2]"},
        Mistake{"SeedThatIsNoList", "seed: [1]", "seed: 1",
                "8:9 seed: must be a list [ ], not '1'"},
        Mistake{"NegativeSeed", "seed: [1]", "seed: [-1]", "8:10 seed: must be at least 0, not -1"},
        Mistake{"SeedTwice", "seed: [1]", "seed: [1, 2, 1]", "8:16 seed: 1 stands here twice"},
        Mistake{"SectionAndGrid", "{max_iters: 10}", "{learning_rate: 1e-3}",
                "10:9 train.learning_rate: the grid sets it too (line 7): leave one out"},
        Mistake{"SpreadOfWords", "[1e-3, 1e-2]", "[1e-3]\n  model.init: {from: a, to: b}",
                "8:15 model.init: from and to spread numbers only: list the levels"},
        Mistake{"SpreadWithoutSteps", "[1e-3, 1e-2]", "{from: 1e-3, to: 1e-2}",
                "7:24 train.learning_rate: needs either per_decade (mantissas) or points (their "
                "number)"},
        Mistake{"SpreadDownwards", "[1e-3, 1e-2]", "{from: 1e-2, to: 1e-3, points: 3}",
                "7:24 train.learning_rate: needs 0 < from < to, since levels are spread over the "
                "logarithm"},
        Mistake{"EndThatIsNoLevel", "[1e-3, 1e-2]", "{from: 2e-3, to: 1e-2, per_decade: [1, 3]}",
                "7:24 train.learning_rate: from: 2e-3 is none of the levels that per_decade makes"},
        Mistake{"MantissaOutOfRange", "[1e-3, 1e-2]", "{from: 1e-3, to: 1e-2, per_decade: [1, 30]}",
                "7:24 train.learning_rate: per_decade must hold ascending mantissas from 1 to "
                "below 10"},
        Mistake{"MisspeltSpread", "[1e-3, 1e-2]", "{from: 1e-3, to: 1e-2, point: 3}",
                "7:47 train.learning_rate.point: no such key; did you mean 'points'?"},
        Mistake{"WholeLevelThatIsNone", "[1e-3, 1e-2]",
                "[1e-3]\n  model.n_layer: {from: 1, to: 10, per_decade: [1, 1.7]}",
                "8:18 model.n_layer: level 1.7 is not a whole number"},
        Mistake{"LinkedLevelsOfDifferentFields", "[1e-3, 1e-2]",
                "[1e-3]\n  size: [{model.n_layer: 2, model.n_embd: 64}, {model.n_layer: 4}]",
                "8:48 size: each level must set the same fields: model.n_layer, model.n_embd"},
        Mistake{"LinkedLevelTwice", "[1e-3, 1e-2]",
                "[1e-3]\n  size: [{model.n_layer: 2}, {model.n_layer: 2}]",
                "8:30 size: this level stands here twice"},
        Mistake{"FieldInTwoLines", "[1e-3, 1e-2]",
                "[1e-3]\n  model.n_layer: [2]\n  size: [{model.n_layer: 2}]",
                "9:11 model.n_layer: the grid sets it in line 8 too"},
        Mistake{"NoAxis", "train.learning_rate: [1e-3, 1e-2]", "train.beta1: [0.5]",
                "7:3 roles.axis: 'train.learning_rate' is no line of the grid: name the one that "
                "curves are drawn over"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    OfRoles, Mistakes,
    testing::Values(
        Mistake{"AxisThatIsNoLine", "data:", "roles: {axis: train.beta1}\ndata:",
                "9:15 roles.axis: 'train.beta1' is no line of the grid: name the one that curves "
                "are drawn over"},
        Mistake{"AxisOfWords", "  seed: [1]\n",
                "  seed: [1]\n  model.init: [nanogpt, fan_in]\nroles: {axis: model.init}\n",
                "10:15 roles.axis: 'model.init' must be a single field with numbers"},
        Mistake{
            "StratumThatIsNoLine", "  seed: [1]\n",
            "  seed: [1]\n  model.n_layer: [2]\nroles: {stratum: [model.n_layer, model.n_head]}\n",
            "10:34 roles.stratum: must be one of model.n_layer; 'model.n_head' is not"},
        Mistake{"LineWithoutARole", "  seed: [1]\n",
                "  seed: [1]\n  model.n_layer: [2]\n  model.n_head: [2]\nroles: {stratum: "
                "model.n_layer}\n",
                "11:18 roles.stratum: 'model.n_head' of the grid is neither axis nor stratum: "
                "list it here"},
        Mistake{"AnotherReplicate", "data:", "roles: {replicate: seeds}\ndata:",
                "9:20 roles.replicate: must be one of seed; 'seeds' is not, did you mean 'seed'?"}),
    name_of);

}  // namespace
}  // namespace sweep
