#pragma once
// Read-only observations in columns that own their numbers or borrow the caller's,
// so that arrays of another language enter without a copy. Eigen reads them as any
// matrix; copies share the numbers.

#include <memory>
#include <new>

#include "condens/core/types.hpp"

namespace condens {

class Observations : public Eigen::Map<const Matrix> {
  using Base = Eigen::Map<const Matrix>;

 public:
  Observations() : Observations(Matrix()) {}
  Observations(Matrix values) : Observations(std::make_shared<const Matrix>(std::move(values))) {}
  template <class Derived>
  Observations(const Eigen::MatrixBase<Derived>& values) : Observations(Matrix(values)) {}

  /// rows x cols numbers, column by column, that the caller keeps alive and unchanged.
  static Observations borrow(const double* values, Index rows, Index cols) { return {values, rows, cols, nullptr}; }

  Observations(const Observations& other) : Observations(other.data(), other.rows(), other.cols(), other.owner_) {}
  Observations& operator=(const Observations& other) {
    owner_ = other.owner_;
    new (static_cast<Base*>(this)) Base(other.data(), other.rows(), other.cols());  // Eigen's way to move a Map
    return *this;
  }
  ~Observations() = default;

 private:
  explicit Observations(const std::shared_ptr<const Matrix>& owner)
      : Observations(owner->data(), owner->rows(), owner->cols(), owner) {}
  Observations(const double* values, Index rows, Index cols, std::shared_ptr<const Matrix> owner)
      : Base(values, rows, cols), owner_(std::move(owner)) {}

  std::shared_ptr<const Matrix> owner_;
};

}  // namespace condens
