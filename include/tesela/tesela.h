/** @file tesela.h
 *  All of tesela's public headers.
 */
#ifndef TESELA_TESELA_H
#define TESELA_TESELA_H

#include "tesela/buffer.h"
#include "tesela/comm.h"
#include "tesela/context.h"
#include "tesela/dock.h"
#include "tesela/molecule.h"
#include "tesela/npb.h"
#include "tesela/occupancy.h"
#include "tesela/pairs.h"
#include "tesela/poisson.h"
#include "tesela/scf.h"
#include "tesela/simplex.h"
#include "tesela/sparse.h"
#include "tesela/status.h"
#include "tesela/tetrahedron.h"
#include "tesela/transpose.h"
#include "tesela/xc.h"

#endif
