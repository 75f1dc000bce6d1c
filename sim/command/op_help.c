/* The ops, for those who ask for help: what 'bankshot help ops' prints. */
#include "op_help.h"

const char bs_op_help[] =
    "Ops:\n"
    "  ld.bN, st.bN          load, store; N is 8, 16, 32, 64, 96 or 128 bits a lane\n"
    "  atom.FN.bN, red.FN.bN\n"
    "                        atomic that returns the old value, or does not; FN is\n"
    "                        add, max, min, and, or, xor, exch, cas, cast or inc\n"
    "  ldmatrix.xK, stmatrix.xK, with .trans or without\n"
    "                        K is 1, 2 or 4 matrices\n"
    "  cp.async.bN           async copy, PTX's .ca; N is 32, 64 or 128\n"
    "  cp.async.cg.b128      the same past the first-level cache\n"
    "\n"
    "  atom.cast is one try of a loop of cas. atom.inc is SASS's ATOMS.POPC.INC: what\n"
    "  atomicAdd(p, 1) compiles to if nobody uses its result; otherwise it is an add.\n"
    "  The inc and dec of PTX, which wrap at a limit, cost what atom.add does.\n"
    "\n"
    "  Names of PTX (ld.shared.v4.f32, atom.shared.add.u32), of SASS (LDS.128) and of\n"
    "  AMD (ds_read_b64) are read as well. Not every model has a rule for every op.\n";
