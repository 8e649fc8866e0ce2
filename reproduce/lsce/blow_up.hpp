#pragma once
// Why the density of LSCE/LSCDE blows up on the robot with two joints: the criterion of section 2.4 scores what is
// fitted, a'(phi o psi), where it stands; section 2.6 divides that by its mass before it is a density. Where no centre
// is near, the fit and what the criterion counts are next to nothing, the density is one narrow kernel.

#include <ostream>

#include "common/record_book.hpp"
#include "studies.hpp"

namespace condens::reproduce {

/// The numbers of a record of explain_blow_up.
const std::vector<std::string>& blow_up_numbers();

/// Three subspaces (of LSCE, of LSMI, all inputs), on each the width and penalty chosen by the score of either, else
/// alike: the error of the fit and of the density, on held-out rows and on the test rows, and which rows make it.
void explain_blow_up(Scale scale, RecordBook& book, double minutes, std::ostream& out);

}  // namespace condens::reproduce
