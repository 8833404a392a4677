#include "sweep/analysis/analysis.h"

#include <algorithm>
#include <set>

namespace sweep {
namespace {

CurveAnalysis analyse_curve(const std::vector<Curve>& curves, const Curve& curve,
                            const Definitions& definitions) {
  Definitions::MaxStableLr strict = definitions.max_stable_lr;
  strict.failure = "diverged";
  return {curve,
          best_cell(curve),
          degraded_reference(curves, curve, "same_arm_and_stratum"),
          degraded_reference(curves, curve, "same_stratum"),
          max_stable_lr(curve, definitions.max_stable_lr),
          max_stable_lr(curve, strict),
          curve_sensitivity(curve, registered_rule(definitions.lr_sensitivity)),
          curve_sensitivity(curve, {"all", Weights::kEqual}),
          curve_sensitivity(curve, {"all", Weights::kLogTrapezoid}),
          curve_sensitivity(curve, {"wortsman", Weights::kEqual})};
}

/// Each arm after the first against it, in every stratum that has both.
std::vector<Necessity> necessities(const Analysis& analysis,
                                   const Definitions::NecessityLr& definition) {
  std::vector<Necessity> found;
  for (const Stratum& stratum : analysis.strata) {
    const CurveAnalysis* control = find_curve(analysis, analysis.arms.front(), stratum);
    for (std::size_t i = 1; control != nullptr && i < analysis.arms.size(); ++i) {
      const CurveAnalysis* treatment = find_curve(analysis, analysis.arms[i], stratum);
      if (treatment == nullptr) continue;
      found.push_back(necessity_of(control->curve, treatment->curve, definition));
    }
  }
  return found;
}

/// Minuend and subtrahend: as registered, else the control and each other arm.
std::vector<std::pair<std::string, std::string>> gap_arms(const Analysis& analysis,
                                                          const Definitions& definitions) {
  if (definitions.gap) return {{definitions.gap->minuend, definitions.gap->subtrahend}};
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 1; i < analysis.arms.size(); ++i) {
    pairs.emplace_back(analysis.arms.front(), analysis.arms[i]);
  }
  return pairs;
}

std::vector<GapCurve> gaps_of(const Analysis& analysis, const Definitions& definitions) {
  std::vector<GapCurve> gaps;
  for (const Stratum& stratum : analysis.strata) {
    for (const auto& [minuend, subtrahend] : gap_arms(analysis, definitions)) {
      const CurveAnalysis* a = find_curve(analysis, minuend, stratum);
      const CurveAnalysis* b = find_curve(analysis, subtrahend, stratum);
      if (a != nullptr && b != nullptr) gaps.push_back(gap_curve(a->curve, b->curve));
    }
  }
  return gaps;
}

}  // namespace

Analysis analyse(const Prereg& prereg, const Definitions& definitions,
                 const std::vector<Curve>& grouped, const std::vector<PilotBest>& pilot) {
  Analysis analysis;
  analysis.axis = prereg.roles.axis;
  for (const Arm& arm : prereg.arms) analysis.arms.push_back(arm.name);
  const auto curves = judged(grouped, definitions);
  std::set<std::uint64_t> seeds;
  for (const Curve& curve : curves) {
    if (analysis.strata.empty() || analysis.strata.back() != curve.stratum) {
      analysis.strata.push_back(curve.stratum);
    }
    const auto own = seeds_of(curve);
    seeds.insert(own.begin(), own.end());
    analysis.curves.push_back(analyse_curve(curves, curve, definitions));
    if (!definitions.convergence) continue;
    analysis.convergence.push_back(convergence_of(curve, *definitions.convergence, pilot));
  }
  analysis.seeds.assign(seeds.begin(), seeds.end());
  analysis.necessity = necessities(analysis, definitions.necessity_lr);
  analysis.gaps = gaps_of(analysis, definitions);
  return analysis;
}

const CurveAnalysis* find_curve(const Analysis& analysis, const std::string& arm,
                                const Stratum& stratum) {
  for (const CurveAnalysis& candidate : analysis.curves) {
    if (candidate.curve.arm == arm && candidate.curve.stratum == stratum) return &candidate;
  }
  return nullptr;
}

const Necessity* find_necessity(const Analysis& analysis, const std::string& treatment,
                                const Stratum& stratum) {
  for (const Necessity& candidate : analysis.necessity) {
    if (candidate.treatment == treatment && candidate.stratum == stratum) return &candidate;
  }
  return nullptr;
}

const GapCurve* find_gap(const Analysis& analysis, const Stratum& stratum) {
  for (const GapCurve& candidate : analysis.gaps) {
    if (candidate.stratum == stratum) return &candidate;
  }
  return nullptr;
}

const ConvergenceCurve* find_convergence(const Analysis& analysis, const std::string& arm,
                                         const Stratum& stratum) {
  for (const ConvergenceCurve& candidate : analysis.convergence) {
    if (candidate.arm == arm && candidate.stratum == stratum) return &candidate;
  }
  return nullptr;
}

}  // namespace sweep
