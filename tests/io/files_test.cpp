#include "io/files.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "condens/core/random.hpp"
#include "support/complaint.hpp"

namespace condens::files_test {
namespace {

namespace fs = std::filesystem;

/// An empty directory that goes away with the test.
class Files : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    directory_ =
        fs::path(testing::TempDir()) / ("condens_files_" + std::string(test->name()) + std::to_string(getpid()));
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::ptrdiff_t count() const { return std::distance(fs::directory_iterator(directory_), fs::directory_iterator()); }

  fs::path directory_;
};

TEST_F(Files, WritesAndReadsBytes) {
  std::string bytes(200000, 'x');  // more than one buffer
  bytes[5] = '\0';
  write_file_atomically(path("a"), bytes);
  EXPECT_EQ(read_file(path("a")), bytes);
  write_file_atomically(path("a"), "");
  EXPECT_EQ(read_file(path("a")), "");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, AppearsAtCommitOnly) {
  write_file_atomically(path("a"), "old");
  {
    AtomicFile file(path("a"));
    file.stream() << "new";
    EXPECT_EQ(read_file(path("a")), "old");
  }
  EXPECT_EQ(read_file(path("a")), "old");
  EXPECT_EQ(count(), 1);
  AtomicFile file(path("a"));
  file.stream() << "new";
  file.commit();
  EXPECT_EQ(read_file(path("a")), "new");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, KeepsPermissionsAndFollowsLinks) {
  write_file_atomically(path("a"), "old");
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(path("a"), path("link"));
  write_file_atomically(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("a")), "new");
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Files, WritesThroughLinksToWhatDoesNotExistYet) {
  fs::create_directory(path("folder"));
  fs::create_symlink("folder/a", path("link"));  // relative to the link
  fs::create_symlink(path("link"), path("other"));
  write_file_atomically(path("other"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_TRUE(fs::is_symlink(path("other")));
  EXPECT_EQ(read_file(path("folder/a")), "new");
  fs::create_symlink("x", path("y"));
  fs::create_symlink("y", path("x"));
  EXPECT_EQ(complaint<std::runtime_error>([&] { write_file_atomically(path("x"), "new"); }),
            path("x") + ": cannot be written: Too many levels of symbolic links");
  fs::create_symlink("none/a", path("nowhere"));
  EXPECT_EQ(complaint<std::runtime_error>([&] { write_file_atomically(path("nowhere"), "new"); }),
            path("nowhere") + ": cannot be written: No such file or directory");
}

TEST_F(Files, AFileThatMayNotBeWrittenStays) {
  write_file_atomically(path("a"), "old");
  fs::permissions(path("a"), fs::perms::owner_read);
  if (geteuid() == 0) {  // nothing is forbidden to root, who keeps owners
    if (::chown(path("a").c_str(), 12345, 54321) != 0) GTEST_SKIP() << "no other owners here";
    write_file_atomically(path("a"), "new");
    struct stat status {};
    ASSERT_EQ(::stat(path("a").c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 12345U);
    EXPECT_EQ(status.st_gid, 54321U);
    EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms::owner_read);
    return;
  }
  EXPECT_EQ(complaint<std::runtime_error>([&] { write_file_atomically(path("a"), "new"); }),
            path("a") + ": cannot be written: Permission denied");
  EXPECT_EQ(read_file(path("a")), "old");
}

TEST_F(Files, FailuresNamePathAndReasonAndLeaveNothing) {
  EXPECT_EQ(complaint<std::runtime_error>([&] { write_file_atomically(path("no/a"), "x"); }),
            path("no/a") + ": cannot be written: No such file or directory");
  EXPECT_EQ(complaint<std::runtime_error>([&] { write_file_atomically(directory_.string(), "x"); }),
            directory_.string() + ": cannot be written: Is a directory");
  EXPECT_EQ(complaint<std::runtime_error>([&] { read_file(path("none")); }),
            path("none") + ": cannot be read: No such file or directory");
  EXPECT_EQ(complaint<std::runtime_error>([&] { read_file(directory_.string()); }),
            directory_.string() + ": cannot be read: Is a directory");
  EXPECT_EQ(count(), 0);
}

/// While it lives, files of this process end at so many bytes: a full disk, for whoever is not root.
class LimitOfSize {
 public:
  explicit LimitOfSize(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~LimitOfSize() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  LimitOfSize(const LimitOfSize&) = delete;
  LimitOfSize& operator=(const LimitOfSize&) = delete;

 private:
  rlimit before_{};
};

TEST_F(Files, AFullDiskLeavesWhatWasThere) {
  write_file_atomically(path("a"), "old");
  append_to_file(path("lines"), "one\n");
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  {
    const LimitOfSize limit(100000);
    const std::string bytes(300000, 'x');
    EXPECT_EQ(complaint<std::runtime_error>([&] { write_file_atomically(path("a"), bytes); }),
              path("a") + ": cannot be written: File too large");
    EXPECT_EQ(complaint<std::runtime_error>([&] { write_file_atomically(path("new"), bytes); }),
              path("new") + ": cannot be written: File too large");
    EXPECT_EQ(complaint<std::runtime_error>([&] { append_to_file(path("lines"), bytes); }),
              path("lines") + ": cannot be written: File too large");
  }
  std::signal(SIGXFSZ, signal_before);
  EXPECT_EQ(read_file(path("a")), "old");
  EXPECT_EQ(read_file(path("lines")), "one\n");
  EXPECT_EQ(count(), 2);
  append_to_file(path("lines"), "two\n");
  EXPECT_EQ(read_file(path("lines")), "one\ntwo\n");
  EXPECT_EQ(complaint<std::runtime_error>([&] { append_to_file(path("no/lines"), "x"); }),
            path("no/lines") + ": cannot be written: No such file or directory");
}

TEST_F(Files, AProcessKilledWhileItSavesLeavesTheOldOrTheNewFile) {
  const std::string texts[] = {std::string(300000, 'a'), std::string(200000, 'b')};
  write_file_atomically(path("file"), texts[0]);
  RandomStream random(1);
  bool seen[] = {false, false};
  for (int kill = 0; kill < 50 || !seen[0] || !seen[1]; ++kill) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 1;; ++i) write_file_atomically(path("file"), texts[i % 2]);
    }
    // A machine that does other things beside the tests may need longer for a save.
    std::this_thread::sleep_for(std::chrono::microseconds(static_cast<int>(200 * (50 + kill) * random.uniform())));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string found = read_file(path("file"));
    ASSERT_TRUE(found == texts[0] || found == texts[1]) << found.size() << " bytes after kill " << kill;
    seen[found == texts[1] ? 1 : 0] = true;
  }
  // Of the file that was being written a name may be left, if its last moment between two names was hit.
  for (const auto& entry : fs::directory_iterator(directory_)) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name == "file" || name.starts_with(".condens.")) << name;
  }
}

TEST_F(Files, WhatOthersLeftBehindDoesNotStandInTheWay) {
  for (int i = 0; i < 2000; ++i) {
    std::ofstream(path(".condens." + std::to_string(getpid()) + "." + std::to_string(i) + ".tmp")) << "left";
  }
  write_file_atomically(path("a"), "new");
  EXPECT_EQ(read_file(path("a")), "new");
  EXPECT_EQ(count(), 2001);
}

TEST_F(Files, NamesMayBeAsLongAsTheSystemAllows) {
  const std::string longest(255, 'n');
  write_file_atomically(path(longest), "new");
  EXPECT_EQ(read_file(path(longest)), "new");
  EXPECT_EQ(complaint<std::runtime_error>([&] { write_file_atomically(path(longest + "n"), "new"); }),
            path(longest + "n") + ": cannot be written: File name too long");
  EXPECT_EQ(complaint<std::runtime_error>([] { write_file_atomically("", "new"); }),
            ": cannot be written: No such file or directory");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, DevicesAreWrittenInPlace) {
  EXPECT_NO_THROW(write_file_atomically("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  if (fs::exists("/dev/full")) {
    EXPECT_EQ(complaint<std::runtime_error>([] { write_file_atomically("/dev/full", "x"); }),
              "/dev/full: cannot be written: No space left on device");
  }
}

TEST_F(Files, PipesAreWrittenInPlace) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  write_file_atomically("/dev/fd/" + std::to_string(ends[1]), "through");
  char buffer[16];
  EXPECT_EQ(::read(ends[0], buffer, sizeof buffer), 7);
  EXPECT_EQ(std::string(buffer, 7), "through");
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace condens::files_test
