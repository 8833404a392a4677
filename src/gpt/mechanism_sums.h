#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sweep {

using NamedValues = std::vector<std::pair<std::string, double>>;

/// Which sums are taken: what the registered quantities need, and no more.
struct WantedSums {
  bool logits = false;
  bool entropy = false;
  bool sink = false;
  bool qk_squares = false;
  bool gains = false;
  bool token_kurtosis = false;
  bool tensor_moments = false;
  bool squares = false;
  bool massive = false;
  bool log_z = false;
  bool updates = false;

  [[nodiscard]] bool attention() const { return logits || entropy || sink; }
  [[nodiscard]] bool activations() const {
    return token_kurtosis || tensor_moments || squares || massive;
  }
  /// Of what a block adds to the residual stream only the shape is asked for.
  [[nodiscard]] WantedSums of_branches() const {
    WantedSums shape;
    shape.token_kurtosis = token_kurtosis;
    shape.tensor_moments = tensor_moments;
    return shape;
  }
};

/// One head of one block, over all windows shown. Infinity where a logit was not finite.
struct HeadSums {
  double max_logit = -std::numeric_limits<double>::infinity();
  double max_abs_logit = -std::numeric_limits<double>::infinity();
  std::vector<double> entropy;  ///< (T) nats, of each query, summed over windows
  double sinks = 0;             ///< windows in which it rests on the first token (`is_sink`)

  void see_largest(double logit, double abs_logit);
};

/// Whether a head's mean attention to the first token makes it a sink (Sink_1, Gu et al. 2024).
bool is_sink(double mean_attention_to_first);

struct AttentionSums {
  std::vector<HeadSums> heads;
  double q_squares = 0;  ///< before the norm
  double k_squares = 0;
  double entries = 0;  ///< of q, and as many of k
};

/// Number, mean and the sums of second, third and fourth powers about the mean, which batches of
/// entries are merged into (Pébay 2008, SAND2008-6212, eq. 3.1): sums of plain powers would cancel.
struct CentralMoments {
  double n = 0;
  double mean = 0;
  double m2 = 0, m3 = 0, m4 = 0;

  void merge(const CentralMoments& b);
};

/// One activation tensor, over all windows shown.
struct ActivationSums {
  static constexpr std::size_t kTop = 3;

  double squares = 0;
  double entries = 0;
  double token_kurtosis = 0;  ///< summed over tokens
  double tokens = 0;
  CentralMoments moments;
  double massive =
      -std::numeric_limits<double>::infinity();  ///< largest ln(max/median) of a window
  std::vector<double> top;                       ///< largest |x|, descending, at most kTop

  void see_token(double mean_square, double mean_fourth_power);
  void see_window(double log_of_max_over_median);
  void see_top(const std::vector<double>& sizes);
};

/// Sum of squares of what AdamW's last update was made of, per learning rate.
struct UpdateSums {
  double squares = 0;
  double n = 0;

  void add(const UpdateSums& more);
  [[nodiscard]] double rms() const;
};

/// What windows shown to a model add up to: all that `measure.mechanism` is computed from.
struct MechanismSums {
  MechanismSums(WantedSums needed, std::size_t layers);

  WantedSums wanted;
  std::vector<AttentionSums> attention;  ///< by layer
  double windows = 0;                    ///< of attention
  std::vector<ActivationSums> residual;  ///< that enters each block, and last that leaves the last
  std::vector<ActivationSums> attention_out;  ///< what each block's attention adds to it
  std::vector<ActivationSums> mlp_out;        ///< and what its MLP adds
  double log_z = 0;                           ///< summed over tokens
  double log_z_tokens = 0;
  NamedValues gains;  ///< q/L0, k/L0, scale/L0, ...: largest |gain|
  UpdateSums update;
  std::map<std::size_t, UpdateSums> update_by_layer;
  std::vector<double> update_of_tensors;  ///< their rms
};

}  // namespace sweep
