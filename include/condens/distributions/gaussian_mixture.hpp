#pragma once
#include <memory>
#include <vector>
#include "condens/core/run.hpp"
#include "condens/core/types.hpp"
namespace condens { class GaussianMixtures; }
