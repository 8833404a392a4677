#include "sweep/prereg/lock.h"

#include "sweep/base/error.h"

namespace sweep {

Json corpora_json(const CorpusTable& corpora) {
  Json list = Json::array();
  for (const auto& [key, facts] : corpora) {
    Json row;
    row["config"] = Json::parse(key);
    row["facts"] = to_json(facts);
    list.push_back(row);
  }
  return list;
}

CorpusTable corpora_from_json(const Json& json) {
  CorpusTable corpora;
  for (const Json& row : json) {
    corpora[to_line(row.at("config"))] = corpus_facts_from_json(row.at("facts"));
  }
  return corpora;
}

Json to_json(const Lock& lock) {
  Json json;
  json["schema_version"] = 1;
  json["registered_at"] = lock.registered_at;
  json["prereg_hash"] = lock.prereg_hash;
  json["content_hash"] = lock.content_hash;
  json["plan_hash"] = lock.plan_hash;
  json["planned"] = lock.planned;
  json["code"] = lock.code;
  json["data"] = lock.data;
  json["corpora"] = corpora_json(lock.corpora);
  if (!lock.pilot_hash.empty()) json["pilot_hash"] = lock.pilot_hash;
  json["numeric_identity"] = lock.numeric_identity;
  return json;
}

Lock lock_from_json(const Json& json) {
  try {
    if (const int version = json.at("schema_version").get<int>(); version != 1) {
      fail(ExitCode::kBadInput, "lock: schema_version {} is not known here", version);
    }
    Lock lock;
    lock.registered_at = json.at("registered_at").get<std::string>();
    lock.prereg_hash = json.at("prereg_hash").get<std::string>();
    lock.content_hash = json.at("content_hash").get<std::string>();
    lock.plan_hash = json.at("plan_hash").get<std::string>();
    lock.planned = json.at("planned").get<std::size_t>();
    lock.code = json.at("code");
    lock.data = json.at("data").get<std::map<std::string, std::string>>();
    lock.corpora = corpora_from_json(json.at("corpora"));
    lock.pilot_hash = json.value("pilot_hash", "");
    lock.numeric_identity = json.at("numeric_identity");
    return lock;
  } catch (const Json::exception& e) {
    fail(ExitCode::kBadInput, "lock: {}", e.what());
  }
}

}  // namespace sweep
