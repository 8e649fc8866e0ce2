// A user of the installed library of pictures.
#include <condens/plot/png.hpp>
#include <iostream>

int main() {
  const std::string png = condens::plot::encode_png(2, 2, {0, 1, 1, 0}, condens::plot::Palette{});
  std::cout << "a picture of " << png.size() << " bytes\n";
  return png.starts_with("\x89PNG") ? 0 : 1;
}
