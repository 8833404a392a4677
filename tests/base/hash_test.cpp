#include "sweep/base/hash.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"
#include "sweep/base/files.h"

namespace sweep {
namespace {

// FIPS 180-4 example values.
TEST(Sha256, MatchesPublishedVectors) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, OfAFileIsThatOfItsBytes) {
  const TemporaryFolder folder;
  const std::string bytes(200'000, 'x');
  publish(folder / "file", bytes);
  EXPECT_EQ(sha256_of_file(folder / "file"), sha256(bytes));
}

}  // namespace
}  // namespace sweep
