#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sweep/record/run_record.h"

namespace sweep {

/// Corpus floors by `floor_key`: they depend on the tokens, on which of them are evaluated, and on
/// the vocabulary, which padding widens.
using FloorTable = std::map<std::string, CorpusFloors>;
std::string floor_key(const RunSpec& spec);

/// Writes the floors of a plan's runs beside the token files in folder `data`: counted once, at
/// registration. Throws `Error` when a token file is missing.
void store_floors(const std::vector<RunSpec>& plan, const std::filesystem::path& data);

/// The floors of these runs: what is stored, and counted anew what is not (an amendment may have
/// added a corpus or another evaluation set).
FloorTable floors_of(const std::vector<RunRecord>& records, const std::filesystem::path& data);

}  // namespace sweep
