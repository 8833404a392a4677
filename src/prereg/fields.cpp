#include <array>
#include <cstddef>
#include <utility>

#include "sweep/base/error.h"
#include "sweep/prereg/config.h"
#include "sweep/prereg/mechanism_quantities.h"

namespace sweep {
namespace {

constexpr double kAnySize = 1e9;

/// What a field's row says; the rest of `FieldOf` follows from the member it names.
struct About {
  std::string path;
  std::string label;
  std::string help;
  std::string unit = "";
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};
};

/// An enumeration stands in files as the word at its place in `choices`.
template <typename Member>
Value to_value(const Member& member, const std::vector<std::string>& choices) {
  if constexpr (std::is_enum_v<Member>) {
    return choices.at(static_cast<std::size_t>(member));
  } else {
    return member;
  }
}

template <typename Member>
void assign(Member& member, const Value& value, const About& about) {
  if constexpr (std::is_enum_v<Member>) {
    for (std::size_t i = 0; i < about.choices.size(); ++i) {
      if (value == Value(about.choices[i])) {
        member = static_cast<Member>(i);
        return;
      }
    }
    fail(ExitCode::kBadInput, "{}: not one of its choices", about.path);
  } else {
    const Member* typed = std::get_if<Member>(&value);
    if (typed == nullptr) fail(ExitCode::kBadInput, "{}: a value of another type", about.path);
    member = *typed;
  }
}

/// `member` is a generic lambda that names the member of a (const or mutable) owner.
template <typename Owner, typename Access>
FieldOf<Owner> make_field(const About& about, Access member) {
  return {about.path,
          about.label,
          about.unit,
          about.help,
          about.min,
          about.max,
          about.choices,
          [=](const Owner& owner) { return to_value(member(owner), about.choices); },
          [=](Owner& owner, const Value& value) { assign(member(owner), value, about); }};
}

std::vector<std::string> mechanism_names() {
  std::vector<std::string> names;
  for (const MechanismQuantity& quantity : mechanism_quantities()) names.push_back(quantity.name);
  return names;
}

#define SWEEP_MEMBER(name) [](auto& owner) -> auto& { return owner.name; }

void add_model_shape(std::vector<Field>& fields) {
  const auto add = [&](const About& about, auto member) {
    fields.push_back(make_field<Config>(about, member));
  };
  add({"model.n_layer", "L", "Number of transformer blocks.", "blocks", 1, 1000},
      SWEEP_MEMBER(model.n_layer));
  add({"model.n_head", "h", "Attention heads per block; must divide n_embd.", "heads", 1, 1024},
      SWEEP_MEMBER(model.n_head));
  add({"model.n_embd", "d", "Width of the residual stream.", "features", 1, 65536},
      SWEEP_MEMBER(model.n_embd));
  add({"model.block_size", "T", "Context length.", "tokens", 1, 65536},
      SWEEP_MEMBER(model.block_size));
  add({"model.vocab_size", "V", "Rows of the token table; 0 means the corpus's own number.",
       "tokens", 0, 65536},
      SWEEP_MEMBER(model.vocab_size));
}

void add_model_switches(std::vector<Field>& fields) {
  const auto add = [&](const About& about, auto member) {
    fields.push_back(make_field<Config>(about, member));
  };
  add({"model.bias", "bias", "Whether linear layers and layer norms have biases."},
      SWEEP_MEMBER(model.bias));
  add({"model.dropout", "dropout",
       "Probability of dropping an activation after embeddings, attention weights and both "
       "branches.",
       "", 0, 0.95},
      SWEEP_MEMBER(model.dropout));
  add({"model.tie_weights", "tied", "Whether the output head is the token table."},
      SWEEP_MEMBER(model.tie_weights));
  add({.path = "model.qk_norm",
       .label = "qk",
       .help = "How queries and keys are normalised before their product.",
       .choices = {"none", "rms_per_head", "ln_per_head", "rms_full", "l2_scalar", "rms_noaffine"}},
      SWEEP_MEMBER(model.qk_norm));
  add({.path = "model.init",
       .label = "init",
       .help = "Initial weights: nanoGPT's N(0, 0.02), or 1/sqrt(fan-in).",
       .choices = {"nanogpt", "fan_in"}},
      SWEEP_MEMBER(model.init));
  add({.path = "model.parametrization",
       .label = "param",
       .help = "How rates and scales follow the width: standard, that is, muP off.",
       .choices = {"standard"}},
      SWEEP_MEMBER(model.parametrization));
}

void add_data(std::vector<Field>& fields) {
  const auto add = [&](const About& about, auto member) {
    fields.push_back(make_field<Config>(about, member));
  };
  add({.path = "data.corpus",
       .label = "corpus",
       .help =
           "Which text: files, kjv (King James Bible) or synthetic (a grammar of known entropy).",
       .choices = {"files", "kjv", "synthetic"}},
      SWEEP_MEMBER(data.corpus));
  add({.path = "data.files",
       .label = "files",
       .help = "UTF-8 texts, joined in this order; relative to the pre-registration's folder."},
      SWEEP_MEMBER(data.files));
  add({.path = "data.tokenizer",
       .label = "tok",
       .help = "What a token is: a character of the text, or a byte.",
       .choices = {"char", "byte"}},
      SWEEP_MEMBER(data.tokenizer));
  add({"data.val_fraction", "val", "Share of the tokens, at the end, that is never trained on.", "",
       1e-5, 0.9},
      SWEEP_MEMBER(data.val_fraction));
  add({"data.synthetic_chars", "chars", "Length of the synthetic text.", "characters", 1000, 1e9},
      SWEEP_MEMBER(data.synthetic_chars));
}

void add_optimizer(std::vector<Field>& fields) {
  const auto add = [&](const About& about, auto member) {
    fields.push_back(make_field<Config>(about, member));
  };
  add({"train.max_iters", "iters", "Updates per run, exactly.", "updates", 1, kAnySize},
      SWEEP_MEMBER(train.max_iters));
  add({"train.batch_size", "B", "Windows per update.", "windows", 1, 1e6},
      SWEEP_MEMBER(train.batch_size));
  add({"train.learning_rate", "lr", "Peak learning rate.", "", 1e-12, 1e3},
      SWEEP_MEMBER(train.learning_rate));
  add({.path = "train.optimizer",
       .label = "opt",
       .help = "AdamW, decaying matrices but not vectors.",
       .choices = {"adamw"}},
      SWEEP_MEMBER(train.optimizer));
  add({"train.beta1", "beta1", "AdamW's decay rate of the first moment.", "", 0, 0.999999},
      SWEEP_MEMBER(train.beta1));
  add({"train.beta2", "beta2", "AdamW's decay rate of the second moment.", "", 0, 0.99999999},
      SWEEP_MEMBER(train.beta2));
  add({"train.eps", "eps", "AdamW's term beside the root of the second moment.", "", 1e-30, 1},
      SWEEP_MEMBER(train.eps));
  add({"train.weight_decay", "wd", "Weight decay of tensors with two or more dimensions.", "", 0,
       100},
      SWEEP_MEMBER(train.weight_decay));
  add({.path = "train.weight_decay_mode",
       .label = "wdmode",
       .help =
           "Decay per update: coupled (rate x decay, PyTorch's) or independent of the peak rate.",
       .choices = {"coupled", "independent"}},
      SWEEP_MEMBER(train.weight_decay_mode));
  add({"train.grad_clip", "clip", "Largest global norm of the gradient; 0 means no clipping.", "",
       0, kAnySize},
      SWEEP_MEMBER(train.grad_clip));
}

void add_schedule(std::vector<Field>& fields) {
  const auto add = [&](const About& about, auto member) {
    fields.push_back(make_field<Config>(about, member));
  };
  add({.path = "train.schedule",
       .label = "sched",
       .help = "Learning rate after the warm-up: a cosine to the floor, or constant.",
       .choices = {"cosine", "constant"}},
      SWEEP_MEMBER(train.schedule));
  add({"train.warmup_iters", "warmup", "Updates of linear warm-up.", "updates", 0, kAnySize},
      SWEEP_MEMBER(train.warmup_iters));
  add({"train.min_lr_ratio", "floor",
       "Floor of the cosine as a share of the peak; 0 unless given when min_lr is.", "", 0, 1},
      SWEEP_MEMBER(train.min_lr_ratio));
  add({"train.min_lr", "minlr", "Absolute floor of the cosine, instead of the share.", "", 0, 1e3},
      SWEEP_MEMBER(train.min_lr));
  add({.path = "train.dtype",
       .label = "dtype",
       .help = "Floating-point type of weights and arithmetic.",
       .choices = {"float32", "float64"}},
      SWEEP_MEMBER(train.dtype));
  add({.path = "train.device",
       .label = "device",
       .help = "Where all runs are trained; on mps equal runs need not give equal bits.",
       .choices = {"cpu", "mps", "cuda", "cuda:0", "cuda:1", "cuda:2", "cuda:3", "cuda:4", "cuda:5",
                   "cuda:6", "cuda:7"}},
      SWEEP_MEMBER(train.device));
}

void add_measure(std::vector<Field>& fields) {
  const auto add = [&](const About& about, auto member) {
    fields.push_back(make_field<Config>(about, member));
  };
  add({"measure.eval_interval", "eval", "Validation loss every so many updates.", "updates", 1,
       kAnySize},
      SWEEP_MEMBER(measure.eval_interval));
  add({"measure.eval_tokens", "evaltok",
       "Size of the one fixed validation set; 0 means the whole held-out part.", "tokens", 0,
       kAnySize},
      SWEEP_MEMBER(measure.eval_tokens));
  add({"measure.log_interval", "log", "A line of training metrics every so many updates.",
       "updates", 1, kAnySize},
      SWEEP_MEMBER(measure.log_interval));
  add({.path = "measure.mechanism",
       .label = "mech",
       .help = "Measurements inside the model, taken on the fixed validation set.",
       .choices = mechanism_names()},
      SWEEP_MEMBER(measure.mechanism));
  add({"measure.mechanism_iters", "mechat", "Updates after which the mechanism is measured.",
       "updates", 0, kAnySize},
      SWEEP_MEMBER(measure.mechanism_iters));
}

std::vector<Field> all_config_fields() {
  std::vector<Field> fields;
  add_model_shape(fields);
  add_model_switches(fields);
  add_data(fields);
  add_optimizer(fields);
  add_schedule(fields);
  add_measure(fields);
  return fields;
}

std::vector<ExecutionField> all_execution_fields() {
  std::vector<ExecutionField> fields;
  const auto add = [&](const About& about, auto member) {
    fields.push_back(make_field<ExecutionConfig>(about, member));
  };
  add({"execution.checkpoint_seconds", "checkpoint", "Time between checkpoints of a run.",
       "seconds", 0.1, 86400},
      SWEEP_MEMBER(checkpoint_seconds));
  add({"execution.max_retries", "retries",
       "How often a run is started again after an infrastructure failure.", "retries", 0, 100},
      SWEEP_MEMBER(max_retries));
  add({"execution.hang_seconds", "hang", "A worker without a sign of life for so long is ended.",
       "seconds", 5, 86400},
      SWEEP_MEMBER(hang_seconds));
  return fields;
}

#undef SWEEP_MEMBER

}  // namespace

std::span<const Field> config_fields() {
  static const std::vector<Field> fields = all_config_fields();
  return fields;
}

std::span<const ExecutionField> execution_fields() {
  static const std::vector<ExecutionField> fields = all_execution_fields();
  return fields;
}

const Field* find_field(std::string_view path) {
  for (const Field& field : config_fields()) {
    if (field.path == path) return &field;
  }
  return nullptr;
}

}  // namespace sweep
