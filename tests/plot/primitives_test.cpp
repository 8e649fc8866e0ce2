// Canvas, PNG, axes, contours.

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <limits>

#include "condens/plot/axes.hpp"
#include "condens/plot/colormap.hpp"
#include "condens/plot/contour.hpp"
#include "condens/plot/png.hpp"
#include "support/xml.hpp"

namespace condens::plot::primitives_test {
namespace {

using tests::xml_problem;

TEST(Canvas, EscapesEverythingXmlForbids) {
  EXPECT_EQ(escape_xml("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(escape_xml("M\xC3\xBCnchen \xE2\x82\xAC \xF0\x9F\x98\x80"), "M\xC3\xBCnchen \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(escape_xml(std::string("a\x01z")), "a\xEF\xBF\xBDz");
  EXPECT_EQ(escape_xml("M\xFCnchen"), "M\xEF\xBF\xBDnchen");                      // Latin-1
  EXPECT_EQ(escape_xml("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // cut off
  EXPECT_EQ(escape_xml("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // overlong
  EXPECT_EQ(escape_xml("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // surrogate
}

TEST(Canvas, PixelsAreShortAndFinite) {
  EXPECT_EQ(pixel(1.0), "1");
  EXPECT_EQ(pixel(-0.001), "0");
  EXPECT_EQ(pixel(1.256), "1.26");
  EXPECT_EQ(pixel(-12.5), "-12.5");
  EXPECT_EQ(pixel(100.0), "100");
  EXPECT_THROW(pixel(std::nan("")), std::invalid_argument);
  EXPECT_THROW(pixel(std::numeric_limits<double>::infinity()), std::invalid_argument);
}

TEST(Canvas, FitTextCutsBetweenCharacters) {
  EXPECT_EQ(fit_text("short", 12.0, 200.0), "short");
  const std::string cut = fit_text("\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4", 10.0, 40.0);
  EXPECT_LE(text_width(cut, 10.0), 40.0);
  EXPECT_EQ(cut.find("\xC3\xA4"), 0U);
  EXPECT_EQ(escape_xml(cut), cut);  // no character was halved
}

TEST(Canvas, WritesWellFormedXml) {
  Canvas canvas(100.0, 50.0, "a \"label\" & <more>");
  canvas.begin_clip({1.0, 2.0}, 30.0, 40.0);
  canvas.line({0.0, 0.0}, {1.0, 1.0}, {.stroke = "#000", .dash = "1 2", .opacity = 0.5});
  canvas.polygon({{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}}, {.fill = "#abc"});
  canvas.circles({{1.0, 2.0}, {3.0, 4.0}}, 2.0, {.fill = "#abc", .opacity = 0.3});
  canvas.end_clip();
  canvas.text({1.0, 1.0}, "x < y", {.bold = true, .rotate = -90.0, .halo = "#fff"});
  EXPECT_EQ(xml_problem(canvas.str()), "");
  EXPECT_NE(canvas.str().find("x &lt; y"), std::string::npos);
}

TEST(XmlChecker, FindsWhatIsWrong) {
  EXPECT_EQ(xml_problem("<a b=\"1\"><c/>text &amp; &#39;</a>"), "");
  EXPECT_NE(xml_problem("<a><b></a></b>"), "");
  EXPECT_NE(xml_problem("<a>"), "");
  EXPECT_NE(xml_problem("<a>x & y</a>"), "");
  EXPECT_NE(xml_problem("<a b=\"<\"></a>"), "");
  EXPECT_NE(xml_problem("<a b=1></a>"), "");
}

TEST(Base64, OfKnownTexts) {
  EXPECT_EQ(base64("Man"), "TWFu");
  EXPECT_EQ(base64("Ma"), "TWE=");
  EXPECT_EQ(base64("M"), "TQ==");
  EXPECT_EQ(base64(""), "");
}

std::uint32_t read32(const std::string& bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i) out = (out << 8) | static_cast<unsigned char>(bytes[at + i]);
  return out;
}

const Bytef* bytes_of(const std::string& text) { return reinterpret_cast<const Bytef*>(text.data()); }

TEST(Png, DecodesToItsPixels) {
  constexpr int width = 300;
  constexpr int height = 250;
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < width * height; ++i) pixels.push_back(static_cast<std::uint8_t>(i * 7 + i / 300));
  const std::string png = encode_png(width, height, pixels, score_palette());
  ASSERT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::vector<std::string> types;
  std::string data;
  for (std::size_t at = 8; at < png.size();) {
    const std::uint32_t length = read32(png, at);
    types.push_back(png.substr(at + 4, 4));
    EXPECT_EQ(read32(png, at + 8 + length), crc32(0, bytes_of(png) + at + 4, 4 + length));
    if (types.back() == "IHDR") {
      EXPECT_EQ(read32(png, at + 8), 300U);
      EXPECT_EQ(read32(png, at + 12), 250U);
    }
    if (types.back() == "PLTE") {
      EXPECT_EQ(length, 768U);
    }
    if (types.back() == "IDAT") data = png.substr(at + 8, length);
    at += 12 + length;
  }
  EXPECT_EQ(types, (std::vector<std::string>{"IHDR", "PLTE", "IDAT", "IEND"}));
  std::string rows(301U * 250U, '\0');
  uLongf size = rows.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, bytes_of(data), data.size()), Z_OK);
  ASSERT_EQ(size, rows.size());
  EXPECT_LT(2 * data.size(), rows.size()) << "it is compressed";
  for (std::size_t r = 0; r < 250; ++r) {
    ASSERT_EQ(rows[r * 301], 0);
    for (std::size_t c = 0; c < 300; ++c)
      ASSERT_EQ(static_cast<std::uint8_t>(rows[r * 301 + 1 + c]), pixels[r * 300 + c]);
  }
  EXPECT_THROW(encode_png(2, 2, {1, 2, 3}, score_palette()), std::invalid_argument);
}

TEST(Colormap, LightnessIsMonotone) {
  const auto luminance = [](const Rgb& c) { return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; };
  for (std::size_t i = 1; i < 256; ++i) {
    EXPECT_LE(luminance(density_palette()[i]), luminance(density_palette()[i - 1]) + 0.5);  // rounding to 8 bits
    EXPECT_GE(luminance(score_palette()[i]), luminance(score_palette()[i - 1]) - 0.5);
  }
  EXPECT_EQ(color_index(-1.0), 0);
  EXPECT_EQ(color_index(2.0), 255);
  EXPECT_EQ(css({0x0F, 0xA0, 0xFF}), "#0fa0ff");
}

TEST(Ticks, AreRoundNumbersInTheExtent) {
  EXPECT_EQ(ticks({0.0, 1.0}, 5), (std::vector<double>{0.0, 0.2, 0.4, 0.6, 0.8, 1.0}));
  EXPECT_EQ(ticks({0.0, 1.0}, 10), (std::vector<double>{0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}));
  EXPECT_EQ(ticks({-3.2, 7.1}, 6), (std::vector<double>{-2.0, 0.0, 2.0, 4.0, 6.0}));
  EXPECT_EQ(ticks({101.0, 149.0}, 5), (std::vector<double>{110.0, 120.0, 130.0, 140.0}));
  EXPECT_EQ(ticks({0.0, 2e6}, 4), (std::vector<double>{0.0, 500000.0, 1000000.0, 1500000.0, 2000000.0}));
  EXPECT_THROW(ticks({1.0, 1.0}), std::invalid_argument);
  EXPECT_THROW(ticks({0.0, std::numeric_limits<double>::infinity()}), std::invalid_argument);
}

TEST(Ticks, LabelsTellThemApart) {
  EXPECT_EQ(tick_labels({0.0, 0.5, 1.0}), (std::vector<std::string>{"0.0", "0.5", "1.0"}));
  EXPECT_EQ(tick_labels({-20.0, 0.0, 20.0}), (std::vector<std::string>{"\xE2\x88\x92"
                                                                       "20",
                                                                       "0", "20"}));
  EXPECT_EQ(tick_labels({0.0, 0.02, 0.04}), (std::vector<std::string>{"0.00", "0.02", "0.04"}));
  EXPECT_EQ(tick_labels({0.0, 5e8, 1e9}), (std::vector<std::string>{"0",
                                                                    "5.0\xC3\x97"
                                                                    "10\xE2\x81\xB8",
                                                                    "1.0\xC3\x97"
                                                                    "10\xE2\x81\xB9"}));
  EXPECT_EQ(number_text(0.0316), "0.0316");
  EXPECT_EQ(number_text(1.0), "1.00");
  EXPECT_EQ(short_number(1.0), "1");
  EXPECT_EQ(short_number(0.1), "0.1");
  EXPECT_EQ(short_number(100.0), "100");
  EXPECT_EQ(short_number(1e-7),
            "1\xC3\x97"
            "10\xE2\x81\xBB\xE2\x81\xB7");
  EXPECT_EQ(number_text(std::nan("")), "n/a");
}

TEST(Extent, IsNeverEmpty) {
  EXPECT_EQ(extent_of(Vector{{3.0, -1.0, std::nan("")}}, 0.5).low, -3.0);
  EXPECT_EQ(extent_of(Vector{{3.0, -1.0}}, 0.5).high, 5.0);
  for (const Vector& values :
       {Vector(), Vector(Vector::Zero(3)), Vector(Vector::Constant(4, 1e12)), Vector(Vector::Constant(2, -1e-12)),
        Vector{{1e9, 1e9 + 1e-7}}, Vector{{0.0, 1e-310}}, Vector{{1e-310}}}) {
    const Extent extent = extent_of(values, 0.1);
    EXPECT_LT(extent.low, extent.high);
    EXPECT_GE(ticks(extent).size(), 2U);
  }
}

TEST(Contour, OfAConeIsACircle) {
  constexpr Index n = 41;
  Matrix cone(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) cone(i, j) = std::hypot(static_cast<double>(i - 20), static_cast<double>(j - 20));
  const std::vector<std::vector<Point>> lines = contour(cone, 10.25);
  ASSERT_EQ(lines.size(), 1U);  // one closed line
  EXPECT_EQ(lines[0].front().x, lines[0].back().x);
  EXPECT_EQ(lines[0].front().y, lines[0].back().y);
  EXPECT_GT(lines[0].size(), 60U);
  // Linear interpolation of the distance along a unit edge errs by at most 1 / (8 r).
  for (const Point& p : lines[0]) EXPECT_NEAR(std::hypot(p.x - 20.0, p.y - 20.0), 10.25, 1.0 / 80.0);
}

TEST(Contour, OpenLinesAndSaddles) {
  const std::vector<std::vector<Point>> open = contour(Matrix{{0.0, 1.0}, {0.0, 1.0}, {0.0, 1.0}}, 0.25);
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].size(), 3U);
  for (const Point& p : open[0]) EXPECT_DOUBLE_EQ(p.x, 0.25);
  // A saddle whose centre is above the level: the low corners (row 0, column 1) and (1, 0) are cut off.
  const std::vector<std::vector<Point>> saddle = contour(Matrix{{1.0, 0.0}, {0.0, 1.0}}, 0.4);
  ASSERT_EQ(saddle.size(), 2U);
  for (const std::vector<Point>& line : saddle) {
    const bool right = line[0].x + line[1].x > 1.0;
    const bool up = line[0].y + line[1].y > 1.0;
    EXPECT_NE(right, up);
  }
  EXPECT_TRUE(contour(Matrix::Ones(4, 4), 0.5).empty());
}

TEST(Contour, RegionLevelHoldsTheMass) {
  const Matrix density{{4.0, 1.0}, {3.0, 2.0}};
  EXPECT_EQ(region_level(density, 0.4), 4.0);
  EXPECT_EQ(region_level(density, 0.5), 3.0);
  EXPECT_EQ(region_level(density, 1.0), 1.0);
}

}  // namespace
}  // namespace condens::plot::primitives_test
