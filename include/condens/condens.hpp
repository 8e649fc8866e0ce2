#pragma once
// Everything that a C++ program needs.

#include "condens/comparison/comparison.hpp"
#include "condens/comparison/leaderboard.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/run.hpp"
#include "condens/core/types.hpp"
#include "condens/data/dataset.hpp"
#include "condens/density/parzen.hpp"
#include "condens/density/parzen_window.hpp"
#include "condens/distributions/gaussian_mixture.hpp"
#include "condens/models/conditional_density.hpp"
#include "condens/models/epsilon_kde.hpp"
#include "condens/models/gaussian_process.hpp"
#include "condens/models/lscde.hpp"
#include "condens/registry.hpp"
