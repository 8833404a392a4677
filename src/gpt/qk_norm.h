#pragma once

#include <ATen/ATen.h>

#include "sweep/prereg/config.h"

namespace sweep {

/// What one attention layer trains for its QK-norm; undefined where the variant has none.
struct QkNormParameters {
  at::Tensor q_gain;  ///< (Dh), or (d) for rms_full
  at::Tensor k_gain;
  at::Tensor scale;  ///< scalar; l2_scalar only
};

struct QueriesAndKeys {
  at::Tensor q;      ///< (B, T, H, Dh)
  at::Tensor k;      ///< (B, T, H, Dh)
  double scale = 1;  ///< what attention multiplies q k^T by
};

/// Normalises queries and keys, both (B, T, H, Dh). With m2 the mean square over the named axis:
///   none          q                                        scale 1/sqrt(Dh)
///   rms_per_head  gain(Dh) * q / sqrt(m2(Dh) + 1e-6)       scale 1/sqrt(Dh)   Qwen3, ViT-22B
///   ln_per_head   gain(Dh) * (q - mean) / sqrt(var + 1e-6) scale 1/sqrt(Dh)   Wortsman et al. 2023
///   rms_full      gain(d) * q / sqrt(m2(d) + 1e-6)         scale 1/sqrt(Dh)   OLMo 2
///   rms_noaffine  q / sqrt(m2(Dh) + 1e-6)                  scale 1/sqrt(Dh)   nanochat,
///   without 1.2 l2_scalar     g * q / max(|q|, 1e-12), k likewise      scale 1 (g learned) Henry
///   et al. 2020
QueriesAndKeys normalise(QkNorm variant, const at::Tensor& q, const at::Tensor& k,
                         const QkNormParameters& parameters);

/// The same out of LibTorch's operators: what other devices than the CPU run.
QueriesAndKeys plain_normalise(QkNorm variant, const at::Tensor& q, const at::Tensor& k,
                               const QkNormParameters& parameters);

}  // namespace sweep
