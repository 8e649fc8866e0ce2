// The smallest user of an installed condens.
#include <condens/condens.hpp>
#include <iostream>

int main() {
  const condens::Vector weights{{0.3, 0.7}};
  const condens::Matrix means{{-1.0, 2.0}};
  const condens::Matrix scales{{0.5, 1.0}};
  const condens::GaussianMixture law(weights, means, scales);
  std::cout << "95 % quantile of a two-component mixture: " << law.quantile(0.95) << '\n';
}
