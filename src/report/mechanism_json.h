#pragma once

#include <vector>

#include "sweep/analysis/mechanism.h"
#include "sweep/analysis/training_health.h"
#include "sweep/base/json.h"

namespace sweep {

/// null when nothing was measured; else
///   last_step, worse_by (nats), thresholds: {name, quantity, bound, share_of_most, meaning,
///   source} cells: {arm, stratum, x, runs: [{seed, id, steps: [{step, values: {name: number}}],
///          worse_from, passed: {threshold: onset}}]}; an onset is null or {step, not_before}
///   crossings: {arm, stratum, threshold, any_seed, every_seed: {level; reason and runs where
///          missing runs leave it open}, runs: {before, undecided, after, without, harmless,
///          neither}}
Json mechanism_json(const MechanismAnalysis& mechanism);

/// {arm, stratum, x, runs: [{seed, id, grad_norm_p50, grad_norm_p99_9, clip_share, lines, spikes,
/// spikes_per_10k}]}
Json health_json(const std::vector<CellHealth>& cells);

}  // namespace sweep
