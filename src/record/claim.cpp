#include "sweep/record/claim.h"

#include <fmt/format.h>

#include <chrono>
#include <random>
#include <thread>

#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/json.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

// How long a lock may outlive its holder: two seconds.
constexpr int kLockChecks = 40;
constexpr std::chrono::milliseconds kLockPause(50);

Json to_json(const ClaimInfo& info) {
  return {{"host", info.who.host},   {"boot_id", info.who.boot_id}, {"pid", info.who.pid},
          {"start", info.who.start}, {"attempt", info.attempt},     {"token", info.token},
          {"since", info.since}};
}

/// nullopt for an empty or torn text: nobody, unless the lock is held.
std::optional<ClaimInfo> parse_claim(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  ClaimInfo info;
  info.who = {json.value("host", ""), json.value("boot_id", ""), json.value("pid", pid_t{0}),
              json.value("start", "")};
  info.attempt = json.value("attempt", std::int64_t{0});
  info.token = json.value("token", "");
  info.since = json.value("since", "");
  return info;
}

std::optional<ClaimInfo> read_claim(const fs::path& file) {
  return parse_claim(read_file_if_exists(file).value_or(""));
}

double seconds_since_renewal(const fs::path& file) {
  std::error_code ignored;
  const auto age = fs::file_time_type::clock::now() - fs::last_write_time(file, ignored);
  return std::chrono::duration<double>(age).count();
}

/// Whether the writer of a claim whose lock is free still lives: locks do not work on every
/// network file system, so a free lock alone proves nothing about another process.
bool lives_without_lock(const ClaimInfo& info, const fs::path& file) {
  const ProcessIdentity self = self_identity();
  if (info.who == self) return false;
  if (info.who.host == self.host) return is_alive(info.who);
  return seconds_since_renewal(file) < kLeaseSeconds;
}

}  // namespace

Claim::Claim(FileLock lock, fs::path file, ClaimInfo info)
    : lock_(std::move(lock)), file_(std::move(file)), info_(std::move(info)) {}

std::optional<Claim> Claim::try_take(const fs::path& file, std::int64_t attempt,
                                     const std::string& token) {
  auto lock = FileLock::try_acquire(file);
  if (!lock) return std::nullopt;
  const auto previous = read_claim(file);
  if (previous && lives_without_lock(*previous, file)) return std::nullopt;
  ClaimInfo info{self_identity(), attempt, token, utc_now()};
  lock->write(to_line(to_json(info)) + "\n");
  return Claim(std::move(*lock), file, std::move(info));
}

void Claim::renew() {
  const auto now = read_claim(file_);
  if (!now || now->token != info_.token) {
    fail(ExitCode::kOwned, "{}: taken over by {} (pid {})", file_.string(),
         now ? now->who.host : "nobody", now ? now->who.pid : 0);
  }
  lock_.touch();
}

void Claim::give_back() {
  const auto now = read_claim(file_);
  if (now && now->token == info_.token) lock_.write("");
}

std::optional<ClaimInfo> owner_of(const fs::path& file) {
  const auto info = read_claim(file);
  if (FileLock::is_held(file)) return info ? info : ClaimInfo{};
  if (info && lives_without_lock(*info, file)) return info;
  return std::nullopt;
}

Claim own_sweep(const SweepDir& sweep) {
  auto claim = Claim::try_take(sweep.owner(), 0, make_token());
  // A child that a killed orchestrator was starting keeps its lock until it is another program.
  for (int attempt = 0; !claim && attempt < kLockChecks; ++attempt) {
    const auto holder = owner_of(sweep.owner());
    const bool is_here = holder && holder->who.host == self_identity().host;
    if (holder && (!is_here || is_alive(holder->who))) break;
    std::this_thread::sleep_for(kLockPause);
    claim = Claim::try_take(sweep.owner(), 0, make_token());
  }
  if (claim) return std::move(*claim);
  const auto owner = owner_of(sweep.owner());
  if (!owner || owner->who.host.empty()) {
    fail(ExitCode::kOwned, "{} is being run by another process", sweep.path.string());
  }
  fail(ExitCode::kOwned,
       "{} is being run by process {} on {} since {}; 'sweep status' shows how far it is",
       sweep.path.string(), owner->who.pid, owner->who.host, owner->since);
}

std::string make_token() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

}  // namespace sweep
