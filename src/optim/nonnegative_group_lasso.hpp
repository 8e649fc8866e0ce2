#pragma once
// Nonnegative group lasso, solved to a certified duality gap:
//
//   P(a) = 0.5 a'Ha - h'a + lambda sum_g w_g |a_g|,   a >= 0,      H >= 0 entry by entry, positive semidefinite.
//
// Optimality, with q = Ha:  a_g = 0:  |[h_g - q_g]_+| <= lambda w_g;
//                           else q_g - h_g + lambda w_g a_g / |a_g| = 0 where a > 0, >= 0 where a = 0.
// Dual: max -0.5 |t|^2 subject to |[h_g - A_g't]_+| <= lambda w_g for all g, with H = A'A. The point t = s A a has
// A_g't = s q_g and |t|^2 = s^2 a'q; as q >= 0, the left sides fall with s. With s >= 1 the smallest that is feasible,
//
//   gap(a) = 0.5 a'q - h'a + lambda sum w_g |a_g| + 0.5 s^2 a'q  >=  P(a) - min P.
//
// A group of weight 0 is not penalised; its constraint is s q_g >= h_g, entry by entry.
//
// Method: a few working coordinates hold a small dense problem, solved by block coordinate descent (which groups are
// in) and Newton steps whose quadratic models are minimised over a >= 0 by pivoting
// (nonnegative_group_lasso_newton.cpp); products with H of all groups find the coordinates that are missing, and
// certify. Symbols: G groups of B coordinates; coordinate g B + b is entry (b, g).

#include <vector>

#include "condens/core/types.hpp"

namespace condens {

/// The quadratic part of the problem, however it is stored. All entries of H are >= 0.
class GroupQuadratic {
 public:
  virtual ~GroupQuadratic() = default;

  /// h, B x G.
  virtual const Matrix& linear() const = 0;

  /// Writes the columns `groups` of q = Ha (B x G); the others stay as they are.
  virtual void product(const Matrix& a, const std::vector<Index>& groups, Matrix& q) const = 0;

  /// H(rows, columns), for coordinates.
  virtual Matrix entries(const std::vector<Index>& rows, const std::vector<Index>& columns) const = 0;

  /// q for all groups.
  Matrix product(const Matrix& a) const;
};

/// The quadratic part with H in memory, G B x G B.
class DenseGroupQuadratic final : public GroupQuadratic {
 public:
  DenseGroupQuadratic(Matrix gram, Matrix linear) : gram_(std::move(gram)), linear_(std::move(linear)) {}
  using GroupQuadratic::product;
  const Matrix& linear() const override { return linear_; }
  const Matrix& gram() const { return gram_; }
  void product(const Matrix& a, const std::vector<Index>& groups, Matrix& q) const override;
  Matrix entries(const std::vector<Index>& rows, const std::vector<Index>& columns) const override;

 private:
  Matrix gram_;
  Matrix linear_;
};

/// How good a solution is known to be.
struct GroupLassoCertificate {
  double objective = 0;     ///< P(a)
  double gap = 0;           ///< at least P(a) - min P
  double relative_gap = 0;  ///< gap / |P(a)|; 0 where the gap is 0
  double kkt_residual =
      0;  ///< largest |a_g - prox(a_g + h_g - q_g)|, as a share of the largest |h_g|; 0 at the optimum
};

/// The certificate of any a >= 0 (B x G), from q = Ha.
GroupLassoCertificate certify_group_lasso(const Matrix& linear, const Vector& weights, double lambda, const Matrix& a,
                                          const Matrix& q);

/// |[h_g - q_g]_+| for every group: a penalised group with a_g = 0 stays out while it is at most lambda w_g.
Vector group_correlations(const Matrix& linear, const Matrix& q);

class NonnegativeGroupLasso {
 public:
  /// `weights` (G) >= 0. Starts at a = 0. `order`: of the entries of a group, in which those far from each other have
  /// next to no part of H in common, as kernels have that are far apart; none: there is no such order.
  NonnegativeGroupLasso(const GroupQuadratic& problem, Vector weights, double tolerance,
                        const std::vector<Index>& order = {});

  /// The solution at lambda > 0, from the present one; infinity: of the groups of weight 0 alone.
  /// `products` with all groups are counted.
  void solve(double lambda);

  /// The smallest lambda at which no penalised group enters. Solves for the groups of weight 0.
  double lambda_max();

  const Matrix& coefficients() const { return a_; }
  const std::vector<Index>& support() const { return coordinates_; }  ///< holds every coordinate with a > 0, ascending
  const GroupLassoCertificate& certificate() const { return certificate_; }
  Index products() const { return products_; }
  bool converged() const { return converged_; }  ///< the relative gap is at most the tolerance

  // The steps of `solve`, for callers that compute products of several problems at once:
  //   begin(lambda); while (!finished()) { advance(); accept(product of coefficients()); }
  void begin(double lambda);
  bool finished() const { return finished_; }
  Vector penalties() const;  ///< lambda w_g, how large |[h_g - q_g]_+| may be of the groups that stay out
  void advance();            ///< minimises over the working coordinates
  void accept(Matrix& q);    ///< q = H coefficients(), all groups (swapped in): certifies, or widens the working set

 private:
  struct Block {
    Index group;
    Index begin;
    Index end;
    double penalty;
    double largest_eigenvalue;  // a bound, of its part of H
    Index size() const { return end - begin; }
  };

  using Flags = Eigen::Array<bool, Eigen::Dynamic, 1>;
  struct Model {
    Vector unit;       // x / |x| by group
    Vector curvature;  // lambda w / |x|
    Vector right;      // h - lambda w x / |x|; -infinity in groups that are out
  };

  double penalty(Index group) const;
  void widen(bool new_groups);
  void set_working(std::vector<Index> coordinates);
  void minimise();
  bool sweep_to(double goal);
  void sweep();
  bool newton(bool to_the_end);
  bool minimise_model(const Model& model, Flags& is_free, bool to_the_end, Vector& z, Vector& hz) const;
  bool minimise_open(const Model& model, const Flags& is_free, const Flags& is_open, Vector& z) const;
  bool minimise_free(const Model& model, const std::vector<Index>& unordered, Vector& z) const;
  std::vector<Index> in_order(std::vector<Index> free) const;
  Matrix penalised_part(const Model& model, const std::vector<Index>& free) const;
  Matrix scaled_units(const Model& model, const std::vector<Index>& free) const;
  Matrix free_part(const Model& model, const std::vector<Index>& free) const;
  double working_gap() const;
  double working_objective(const Vector& x, const Vector& hx) const;
  void store();

  const GroupQuadratic& problem_;
  Vector weights_;
  double tolerance_;
  std::vector<Index> place_in_order_;  // of each entry of a group; empty: there is no order
  double lambda_ = 0;
  double largest_linear_;

  Matrix a_;  // B x G
  Matrix q_;  // H a, all groups, of the last product
  GroupLassoCertificate certificate_;
  Index products_ = 0;
  Index rounds_ = 0;
  bool finished_ = true;
  bool converged_ = true;

  // The solution before the present one.
  double older_lambda_ = 0;
  std::vector<Index> older_coordinates_;
  Vector older_x_;

  // The working problem.
  std::vector<Index> coordinates_;  // ascending
  std::vector<Block> blocks_;
  Matrix gram_;
  Vector h_;
  Vector x_;   // a on the working coordinates
  Vector hx_;  // H x
};

}  // namespace condens
