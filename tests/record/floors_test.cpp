#include "sweep/record/floors.h"

#include <gmock/gmock.h>

#include "record/sweep_fixture.h"

namespace sweep {
namespace {

class StoredFloors : public RegisteredSweep {
 protected:
  [[nodiscard]] FloorTable floors() const { return floors_of(read_records(sweep_), sweep_.data()); }

  void store(const Json& entry) const {
    Json floors = Json::object();
    if (!entry.is_null()) floors[floor_key(read_plan(sweep_).front())] = entry;
    publish(file(), to_text({{"schema_version", 1}, {"floors", floors}}));
  }

  [[nodiscard]] std::filesystem::path file() const { return sweep_.data() / "floors.json"; }
};

TEST_F(StoredFloors, AreThoseOfTheTokensAndLocked) {
  const RunSpec spec = read_plan(sweep_).front();
  const CorpusFloors counted =
      corpus_floors(TokenFile(sweep_.data(), spec.data), spec.data.vocab_size, 64, 16);
  EXPECT_EQ(floors(), FloorTable({{floor_key(spec), counted}}));
  EXPECT_EQ(read_registration(sweep_).lock.data.at("floors.json"), sha256_of_file(file()));
}

TEST_F(StoredFloors, AreNotCountedAgain) {
  store({{"uniform", 3.0}, {"unigram", 2.0}, {"bigram", 1.0}});
  EXPECT_EQ(floors().begin()->second, (CorpusFloors{3, 2, 1}));
}

TEST_F(StoredFloors, AreCountedWhereTheyAreMissing) {
  const FloorTable registered = floors();
  store(nullptr);
  EXPECT_EQ(floors(), registered);
  std::filesystem::remove(file());
  EXPECT_EQ(floors(), registered);
}

}  // namespace
}  // namespace sweep
