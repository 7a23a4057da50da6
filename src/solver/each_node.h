/* SPDX-License-Identifier: MIT */
/* Before a loop over the nodes of a row, whose turns do not depend on one another. */
#ifndef RO_SOLVER_EACH_NODE_H
#define RO_SOLVER_EACH_NODE_H

#if defined(__clang__)
#define EACH_NODE _Pragma("clang loop vectorize(assume_safety)")
#else
#define EACH_NODE _Pragma("GCC ivdep")
#endif

#endif
