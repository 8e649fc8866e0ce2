// What our own products and factorisations gain over Eigen's, for one thread, at sizes that models have. Each stays in
// the library while it is 1.5 times faster somewhere here.
//
//   packed       b' x and x g' of PRESS for J = 10 states and images of 28 x 28 grey levels, as bytes against doubles
//   skinny       the same products of doubles against Eigen's, and for tables of few inputs
//   interleaved  60 ridge systems of one order (5 folds x 12 penalties of LSCDE), eight at a time against one by one

#include <cstdio>
#include <vector>

#include "condens/core/random.hpp"
#include "condens/linalg/packed_observations.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/ridge_systems.hpp"
#include "linalg/skinny_products.hpp"
#include "measure.hpp"

using namespace condens;
using namespace condens::benchmarks;

namespace {

Matrix normals(Index rows, Index cols) {
  RandomStream random(1);
  Matrix out(rows, cols);
  for (double& value : out.reshaped()) value = random.normal();
  return out;
}

Matrix grey_levels(Index pixels, Index images) {
  return (normals(pixels, images).cwiseAbs() * 60).array().round().min(255.0);
}

void print(const char* what, Index p, Index n, Index j, double plain, double own) {
  std::printf("| %s | %td x %td, %td | %.2f | %.2f | %.2f |\n", what, p, n, j, 1e3 * plain, 1e3 * own, plain / own);
}

void compare_products(Index p, Index n, Index j) {
  const Matrix x = grey_levels(p, n);
  const Matrix b = normals(p, j);
  const Matrix g = normals(j, n);
  Matrix down = Matrix::Zero(j, n);
  Matrix up = Matrix::Zero(p, j);
  const double eigen = best_seconds(5, [&] {
    down.noalias() += b.transpose() * x;
    up.noalias() += x * g.transpose();
  });
  const double skinny = best_seconds(5, [&] {
    add_transposed_product(b, x, down);
    add_product_with_transpose(x, g, up);
  });
  print("skinny against Eigen", p, n, j, eigen, skinny);
  const auto packed = PackedObservations::pack(x);
  if (packed == nullptr) return;
  const double bytes = best_seconds(5, [&] {
    packed->add_transposed_product(b, {0, n}, down);
    packed->add_product_with_transpose({0, n}, g, up);
  });
  print("packed against skinny", p, n, j, skinny, bytes);
}

void compare_factorisations(Index order, std::size_t count) {
  std::vector<Matrix> grams;
  std::vector<RidgeSystem> systems;
  const Vector right = normals(order, 1);
  for (std::size_t s = 0; s < 5; ++s) {
    const Matrix features = normals(order, 2 * order);
    grams.emplace_back(features * features.transpose());
  }
  for (std::size_t s = 0; s < count; ++s) systems.push_back({&grams[s % grams.size()], &right, 1e-3});
  Vector sum = Vector::Zero(order);
  const double plain = best_seconds(5, [&] {
    for (const auto& [gram, own_right, ridge] : systems) {
      Matrix shifted = *gram;
      shifted.diagonal().array() += ridge;
      sum += Cholesky(std::move(shifted)).solve(*own_right);
    }
  });
  const double together = best_seconds(5, [&] { sum += solve_ridge_systems(systems).col(0); });
  print("interleaved against one by one", order, order, static_cast<Index>(count), plain, together);
}

}  // namespace

int main() {
  std::printf("| what | size | plain, ms | ours, ms | times faster |\n|---|---|---|---|---|\n");
  compare_products(784, 10000, 10);
  compare_products(784, 2000, 10);
  compare_products(100, 10000, 5);
  compare_products(10, 10000, 5);
  for (const Index order : {20, 50, 100, 200}) compare_factorisations(order, 60);
}
