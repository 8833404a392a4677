#include "sweep/record/anchor.h"

#include <gmock/gmock.h>

#include "record/sweep_fixture.h"
#include "record/timestamp.h"
#include "sweep/base/capture.h"
#include "sweep/base/error.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Anchors : public RegisteredSweep {};

TEST_F(Anchors, HoldTheLastLinkOfTheChain) {
  EXPECT_EQ(anchor_at(sweep_, "url", "https://example.org/v1").link.name, "lock.json");
  amend(changed("by: 0.3", "by: 0.2"));
  const Anchor anchor = anchor_at(sweep_, "osf", "abc12");
  EXPECT_EQ(anchor.link.name, "amendments/0001.json");
  EXPECT_EQ(anchor.link.hash, sha256_of_file(sweep_.amendment(1)));
  EXPECT_EQ(describe(anchor), "OSF abc12, as stated");
  EXPECT_THAT(read_anchors(sweep_), SizeIs(2));
  EXPECT_THAT(verify_sweep(sweep_), IsEmpty());
}

TEST_F(Anchors, NoticeThatALinkWasReplaced) {
  anchor_at(sweep_, "url", "https://example.org/v1");
  Json lock = read_json(sweep_.lock());
  lock["registered_at"] = "2020-01-01T00:00:00Z";
  publish(sweep_.lock(), to_text(lock));
  EXPECT_THAT(anchor_problems(sweep_), Contains(HasSubstr("another content")));
}

constexpr const char* kAuthority =
    "[req]\ndistinguished_name = name\nprompt = no\n"
    "[name]\nCN = A test's own authority\n"
    "[root]\nbasicConstraints = critical, CA:true\nkeyUsage = critical, keyCertSign\n"
    "subjectKeyIdentifier = hash\n"
    "[stamp]\nbasicConstraints = CA:false\nkeyUsage = critical, digitalSignature\n"
    "extendedKeyUsage = critical, timeStamping\nsubjectKeyIdentifier = hash\n"
    "authorityKeyIdentifier = keyid\n"
    "[tsa]\ndefault_tsa = one\n"
    "[one]\nserial = serial\nsigner_digest = sha256\ndefault_policy = 1.2.3.4.1\n"
    "digests = sha256, sha512\naccuracy = secs:1\nordering = no\ness_cert_id_chain = no\n"
    "ess_cert_id_alg = sha256\n";

/// An authority made by the openssl command, in the sweep's folder.
class Timestamps : public RegisteredSweep {
 protected:
  void SetUp() override {
    if (!has_openssl()) GTEST_SKIP() << "no openssl command here";
    write("tsa.cnf", kAuthority);
    write("serial", "01\n");
    authority("root", "");
    authority("stamp", "root");
  }

  /// LibreSSL's command reads other configurations.
  static bool has_openssl() {
    try {
      return capture({"/bin/sh", "-c", "openssl version"}).output.starts_with("OpenSSL ");
    } catch (const Error&) {
      return false;
    }
  }

  void openssl(const std::string& line) {
    const std::string command =
        fmt::format("cd '{}' && openssl {} 2>> openssl.log", folder_.path().string(), line);
    const Captured done = capture({"/bin/sh", "-c", command});
    ASSERT_EQ(done.status, 0) << line << "\n" << read_file(folder_ / "openssl.log");
  }

  /// NAME.key and NAME.pem, signed by `issuer` or by itself.
  void authority(const std::string& name, const std::string& issuer) {
    openssl(
        fmt::format("req -new -newkey rsa:2048 -nodes -config tsa.cnf -keyout {0}.key "
                    "-subj '/CN={0}' -out {0}.csr",
                    name));
    const std::string signer =
        issuer.empty() ? fmt::format("-signkey {}.key", name)
                       : fmt::format("-CA {0}.pem -CAkey {0}.key -set_serial 2", issuer);
    openssl(
        fmt::format("x509 -req -in {0}.csr {1} -days 30 -extfile tsa.cnf -extensions {0} "
                    "-out {0}.pem",
                    name, signer));
  }

  /// The authority's answer to the sweep's request.
  fs::path answer(const std::string& name) {
    fs::copy_file(write_timestamp_request(sweep_), folder_ / "request.tsq",
                  fs::copy_options::overwrite_existing);
    openssl(
        "ts -reply -config tsa.cnf -section one -queryfile request.tsq -signer stamp.pem "
        "-inkey stamp.key -out " +
        name);
    return folder_ / name;
  }
};

TEST_F(Timestamps, AreVerifiedAgainstTheirAuthorityOffline) {
  const Anchor anchor = anchor_by_token(sweep_, answer("a.tsr"), folder_ / "root.pem");
  EXPECT_EQ(anchor.link, chain_of(sweep_).back());
  EXPECT_THAT(describe(anchor), HasSubstr("its authority verified"));
  EXPECT_THAT(anchor.stamped_at, HasSubstr("T"));
  EXPECT_THAT(verify_sweep(sweep_), IsEmpty());
}

TEST_F(Timestamps, OfAnotherAuthorityAreRefused) {
  const fs::path token = answer("a.tsr");
  authority("root", "");
  EXPECT_THROW(anchor_by_token(sweep_, token, folder_ / "root.pem"), Error);
  EXPECT_THAT(read_anchors(sweep_), IsEmpty());
}

TEST_F(Timestamps, WithoutAnAuthoritySayThatItWasNotVerified) {
  const Anchor anchor = anchor_by_token(sweep_, answer("a.tsr"), "");
  EXPECT_THAT(describe(anchor), HasSubstr("its authority not verified"));
}

TEST_F(Timestamps, OfSomethingElseAreRefused) {
  const fs::path token = answer("a.tsr");
  Json lock = read_json(sweep_.lock());
  lock["registered_at"] = "2020-01-01T00:00:00Z";
  publish(sweep_.lock(), to_text(lock));
  EXPECT_THROW(anchor_by_token(sweep_, token, folder_ / "root.pem"), Error);
}

TEST_F(Timestamps, StayWithTheLinkTheyWereMadeOf) {
  const fs::path token = answer("a.tsr");
  amend(changed("by: 0.3", "by: 0.2"));
  EXPECT_EQ(anchor_by_token(sweep_, token, folder_ / "root.pem").link.name, "lock.json");
  EXPECT_EQ(anchor_by_token(sweep_, answer("b.tsr"), folder_ / "root.pem").link.name,
            "amendments/0001.json");
  EXPECT_THAT(verify_sweep(sweep_), IsEmpty());
}

TEST_F(Timestamps, AreCheckedAgainByVerify) {
  anchor_by_token(sweep_, answer("a.tsr"), folder_ / "root.pem");
  std::string der = read_file(sweep_.anchor_files() / "0001.tsr");
  der[der.size() - 20] = static_cast<char>(der[der.size() - 20] ^ 1);
  publish(sweep_.anchor_files() / "0001.tsr", der);
  EXPECT_THAT(verify_sweep(sweep_), Contains(HasSubstr("anchors/0001.tsr does not verify")));
}

TEST(Timestamp, IsNotReadFromAnythingElse) {
  EXPECT_THROW(read_timestamp("no DER"), Error);
  EXPECT_THROW(read_timestamp(timestamp_request(sha256("x"))), Error);
}

}  // namespace
}  // namespace sweep
