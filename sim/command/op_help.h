/* The ops, for those who ask for help. */
#ifndef BS_OP_HELP_H
#define BS_OP_HELP_H

extern const char bs_op_help[];

#endif
