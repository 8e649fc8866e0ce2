// condens page: a model put into the page that was built for browsers. What that page computes and shows is tested with
// it (python/tests/test_page.py).

#include "command.hpp"
#include "condens/io/model_file.hpp"
#include "condens/plot/png.hpp"

namespace condens::tests::page_command_test {
namespace {

class PageCommand : public CommandTest {
 protected:
  PageCommand() { std::filesystem::copy_file(frozen("gmm_recommended.json"), folder / "model.json"); }

  static std::filesystem::path frozen(const std::string& name) {
    return std::filesystem::path(CONDENS_SOURCE_DIR) / "tests" / "frozen" / name;
  }
  /// The command as if installed here, with this page beside it; none where it is empty.
  void install(const std::string& page) const {
    std::filesystem::create_directories(folder / "prefix" / "bin");
    std::filesystem::copy_file(CONDENS_BINARY, folder / "prefix" / "bin" / "condens");
    if (page.empty()) return;
    std::filesystem::create_directories(folder / "prefix" / "share" / "condens");
    std::ofstream(folder / "prefix" / "share" / "condens" / "page.html") << page;
  }
  Outcome installed(const std::string& arguments) const { return shell("prefix/bin/condens " + arguments); }
};

TEST_F(PageCommand, PutsTheModelIntoThePageThatIsInstalledWithIt) {
  install("<p>{{model}}</p>\n");
  const Outcome outcome = installed("page model.json -o page.html");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  const std::string model = to_cbor(load_model_file(folder / "model.json"));
  EXPECT_EQ(read_text(folder / "page.html"), "<p>" + plot::base64(model) + "</p>\n");
}

TEST_F(PageCommand, SaysHowThePageIsBuiltWhereThereIsNone) {
  install("");
  const Outcome outcome = installed("page model.json -o page.html");
  EXPECT_EQ(outcome.code, 1);
  expect_in(outcome.err, {"was not built with this command", "install emscripten, then cmake --preset browser"});
  EXPECT_FALSE(std::filesystem::exists(folder / "page.html"));
}

TEST_F(PageCommand, RefusesAPageWithoutAPlaceForTheModel) {
  install("<p></p>\n");
  const Outcome outcome = installed("page model.json -o page.html");
  EXPECT_EQ(outcome.code, 1);
  expect_in(outcome.err, {"has no place for a model"});
}

TEST_F(PageCommand, RefusesOtherNamesAndDamagedModels) {
  install("<p>{{model}}</p>\n");
  Outcome outcome = installed("page model.json -o page.svg");
  EXPECT_EQ(outcome.code, 2);
  expect_in(outcome.err, {"-o 'page.svg', expected a name that ends in .html"});
  std::ofstream(folder / "broken.json") << "{";
  outcome = installed("page broken.json -o page.html");
  EXPECT_EQ(outcome.code, 2);
  expect_in(outcome.err, {"broken.json"});
  EXPECT_FALSE(std::filesystem::exists(folder / "page.html"));
}

}  // namespace
}  // namespace condens::tests::page_command_test
