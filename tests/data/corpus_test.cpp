#include "sweep/data/corpus.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/temporary_folder.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/hash.h"

namespace sweep {
namespace {

DataConfig files(std::vector<std::string> names) {
  DataConfig config;
  config.files = std::move(names);
  return config;
}

std::string error_of(const DataConfig& config, const std::filesystem::path& folder) {
  try {
    load_corpus(config, folder);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::kBadInput);
    return e.what();
  }
  return "no error";
}

TEST(LoadCorpus, JoinsFilesInTheirOrderAndSplitsAtTheTail) {
  const TemporaryFolder folder;
  publish(folder / "a.txt", "abcab");
  publish(folder / "b.txt", "bbbbb");
  const Corpus corpus = load_corpus(files({"a.txt", "b.txt"}), folder.path());
  EXPECT_EQ(corpus.tokens, (std::vector<Token>{0, 1, 2, 0, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(corpus.train_tokens, 9U);
}

TEST(LoadCorpus, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  EXPECT_NE(error_of(files({"gone.txt"}), folder.path()).find("gone.txt"), std::string::npos);
  EXPECT_NE(error_of(files({}), folder.path()).find("files"), std::string::npos);
  publish(folder / "short.txt", "a");
  EXPECT_NE(error_of(files({"short.txt"}), folder.path()).find("too short"), std::string::npos);
  DataConfig kjv;
  kjv.corpus = "kjv";
  ::setenv("SWEEP_CORPORA", folder.path().c_str(), 1);
  EXPECT_NE(error_of(kjv, folder.path()).find("bootstrap"), std::string::npos);
  ::unsetenv("SWEEP_CORPORA");
}

TEST(StoreCorpus, KeepsTokensUnderTheirHash) {
  const TemporaryFolder folder;
  publish(folder / "a.txt", "hello hello hello ñ");
  const DataConfig config = files({"a.txt"});
  const CorpusFacts facts =
      store_corpus(load_corpus(config, folder.path()), config, folder / "data");
  EXPECT_EQ(facts.hash, sha256_of_file(folder.path() / "data" / (facts.hash + ".bin")));
  EXPECT_EQ(corpus_facts_from_json(to_json(facts)).hash, facts.hash);
  const TokenFile tokens(folder / "data", facts);
  EXPECT_EQ(tokens.train_size(), 17);
  EXPECT_EQ(tokens.val_size(), 2);
  EXPECT_EQ(tokens.train()[0], tokens.train()[6]);
  EXPECT_EQ(tokens.val()[1], facts.vocab_size - 1);
}

TEST(StoreCorpus, CountsCharactersBehindByteTokens) {
  const TemporaryFolder folder;
  publish(folder / "a.txt", "aaaaaaaaaaaaaaaaaa\xc3\xb1");
  DataConfig config = files({"a.txt"});
  config.tokenizer = "byte";
  const CorpusFacts facts = facts_of(load_corpus(config, folder.path()), config);
  EXPECT_EQ(facts.vocab_size, 256);
  EXPECT_EQ(facts.val_tokens, 2);
  EXPECT_EQ(facts.chars_per_token, 0.5);
}

TEST(TokenFile, RefusesAFileOfAnotherLength) {
  const TemporaryFolder folder;
  publish(folder / "a.txt", "some text to be stored");
  const DataConfig config = files({"a.txt"});
  const CorpusFacts facts = store_corpus(load_corpus(config, folder.path()), config, folder.path());
  truncate_file(folder / (facts.hash + ".bin"), 4);
  EXPECT_THROW(TokenFile(folder.path(), facts), Error);
}

}  // namespace
}  // namespace sweep
