/* The words of the viewer's help that the command has too, which starts it. */
#include "view_help.h"

const char bs_view_summary[] = "watch lanes land on banks";

const char bs_view_usage[] = "[OPTION]... TRACE\n[OPTION]... --eval OP ADDRS";

const char bs_view_about[] =
    "Shows how the lanes of a warp land on the banks of shared memory, pass by pass, in a "
    "window; the key ? lists its keys. With --shot, --svg, --pdf or --record it writes "
    "files instead and needs no display.\n";

const char bs_view_examples[] =
    "  bankshot view --eval ld.b32 't*128'\n"
    "  bankshot view --eval ld.b32 't*pitch*4' --let pitch=32 --compare pitch=33\n"
    "  bankshot view --eval ld.b32 't*8' --ask\n"
    "  bankshot view kernel.trace --at 42\n"
    "  bankshot view kernel.trace --at 42:7 --shot pass7.png\n";
