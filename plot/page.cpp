#include "condens/plot/page.hpp"

#include "condens/plot/canvas.hpp"

namespace condens::plot {

namespace {

constexpr const char* page_style = R"css(
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 48rem; color: #222; background: #fff;
  font: 16px/1.5 Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; padding-top: .75rem; border-top: 1px solid #ddd; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; padding: .2rem 1.5rem .2rem 0; vertical-align: top; border-bottom: 1px solid #eee; }
th { font-weight: 400; color: #666; white-space: nowrap; }
td { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
figure { margin: 0; }
figure > svg { display: block; max-width: 100%; height: auto; }
figcaption { font-size: .875rem; color: #555; margin-top: .25rem; }
@media print { body { padding: 0; max-width: none; } section { break-inside: avoid; } h2 { border: 0; } }
)css";

}  // namespace

std::string page(const std::string& title, const std::vector<std::pair<std::string, std::string>>& summary,
                 const std::vector<PageFigure>& figures) {
  const std::string heading = escape_xml(title);
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"/>\n<title>" +
      heading + "</title>\n<style>" + page_style + "</style>\n</head>\n<body>\n<h1>" + heading + "</h1>\n";
  if (!summary.empty()) {
    out += "<table>\n";
    for (const auto& [name, value] : summary)
      out += "<tr><th scope=\"row\">" + escape_xml(name) + "</th><td>" + escape_xml(value) + "</td></tr>\n";
    out += "</table>\n";
  }
  for (const PageFigure& figure : figures)
    out += "<section>\n<h2>" + escape_xml(figure.heading) + "</h2>\n<figure>\n" + figure.svg + "<figcaption>" +
           escape_xml(figure.caption) + "</figcaption>\n</figure>\n</section>\n";
  return out + "</body>\n</html>\n";
}

}  // namespace condens::plot
