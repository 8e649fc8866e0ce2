#pragma once
// Figures 1 and 2: two conditional densities of y given x_1 and x_2 that are sums over the inputs,
//
//   (A)  N(y | sin x_1, 1/4)                                the second term is 0,
//   (B)  1/2 N(y | sin x_1, 1/4) + 1/2 N(y | x_2 / 4, 1/4),
//
// drawn as they are, and as SA-CDE estimates them. 1/4 is a variance.

#include <ostream>
#include <string>

namespace condens::reproduce {

/// Writes the pictures into `pictures`, and what SA-CDE selected to `out`.
void draw_additive(const std::string& pictures, std::ostream& out);

}  // namespace condens::reproduce
