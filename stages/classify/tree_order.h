// stages/classify/tree_order.h — the trees of a class model as kernels/classify reads them.
#pragma once

#include "kernels/classify/tree_sums.h"
#include "stages/classify/class_model.h"

namespace beatscan {

// Numbers the leaves of each tree from left to right. A tree has kMostLeaves leaves at most.
BoostedTrees boosted_trees(const ClassTrees& trees);

}  // namespace beatscan
