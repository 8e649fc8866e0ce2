#include <cstdio>

#include "cpu_level.hpp"

int main() { std::printf("%d", condens_cpu_level()); }
