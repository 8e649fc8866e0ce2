#include "condens/core/random.hpp"

#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <numeric>
#include <utility>

namespace condens {

namespace {

constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15ULL;

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t stream)
    : state_(mix(mix(seed + golden_gamma) ^ (stream * 0xd1342543de82ef95ULL + golden_gamma))) {}

RandomStream::result_type RandomStream::operator()() { return mix(state_ += golden_gamma); }

double RandomStream::uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

double RandomStream::normal() { return boost::random::normal_distribution<double>()(*this); }

Index RandomStream::below(Index n) { return boost::random::uniform_int_distribution<Index>(0, n - 1)(*this); }

std::vector<Index> RandomStream::permutation(Index n) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = n - 1; i > 0; --i) {
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(below(i + 1))]);
  }
  return order;
}

}  // namespace condens
