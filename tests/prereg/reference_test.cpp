#include "sweep/prereg/reference.h"

#include <gmock/gmock.h>

#include "support/golden.h"
#include "sweep/prereg/config.h"

namespace sweep {
namespace {

using testing::HasSubstr;

TEST(Reference, PageIsCurrent) {
  const auto file = std::filesystem::path(source_folder()) / "docs/prereg.md";
  const std::string text = reference_markdown();
  if (std::getenv("SWEEP_UPDATE_GOLDEN") != nullptr) publish(file, text);
  EXPECT_EQ(read_file_if_exists(file).value_or("(no such file)"), text);
}

TEST(Reference, HasEveryField) {
  const std::string text = reference_markdown();
  for (const Field& field : config_fields()) EXPECT_THAT(text, HasSubstr("`" + field.path + "`"));
  for (const char* key : {"definitions.necessity_lr.persistent", "definitions.gap.minuend",
                          "analysis.correction.method", "gates.override.outcomes", "pilot.seeds"}) {
    EXPECT_THAT(text, HasSubstr(std::string("`") + key + "`"));
  }
}

}  // namespace
}  // namespace sweep
