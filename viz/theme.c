/* The two sets of colours, after the palette of Okabe and Ito. */
#include "theme.h"

const struct bs_theme bs_theme_light = {
    .name = "light",
    .inks =
        {
            [BS_PAPER] = {0.984, 0.980, 0.969},
            [BS_TEXT] = {0.114, 0.153, 0.200},
            [BS_FAINT] = {0.373, 0.420, 0.471},
            [BS_LINE] = {0.788, 0.804, 0.824},
            [BS_CELL] = {0.925, 0.925, 0.910},
            [BS_WAITING] = {0.184, 0.435, 0.659},
            [BS_ON_WAITING] = {1.000, 1.000, 1.000},
            [BS_NOW] = {0.941, 0.659, 0.110},
            [BS_ON_NOW] = {0.114, 0.153, 0.200},
            [BS_DONE] = {0.725, 0.867, 0.816},
            [BS_ON_DONE] = {0.078, 0.275, 0.227},
            [BS_TROUBLE] = {0.784, 0.314, 0.039},
            [BS_ON_DEEP] = {1.000, 1.000, 1.000},
            [BS_ON_PALE] = {0.114, 0.153, 0.200},
            [BS_GOOD_TEXT] = {0.043, 0.431, 0.333},
            [BS_BAD_TEXT] = {0.690, 0.259, 0.039},
        },
    .ramp = {{0.925, 0.925, 0.910},
             {0.835, 0.902, 0.769},
             {0.549, 0.804, 0.733},
             {0.259, 0.620, 0.753},
             {0.149, 0.369, 0.651},
             {0.051, 0.129, 0.369}},
};

const struct bs_theme bs_theme_dark = {
    .name = "dark",
    .inks =
        {
            [BS_PAPER] = {0.071, 0.086, 0.106},
            [BS_TEXT] = {0.933, 0.945, 0.957},
            [BS_FAINT] = {0.604, 0.651, 0.698},
            [BS_LINE] = {0.243, 0.282, 0.329},
            [BS_CELL] = {0.125, 0.149, 0.180},
            [BS_WAITING] = {0.353, 0.643, 0.871},
            [BS_ON_WAITING] = {0.047, 0.078, 0.110},
            [BS_NOW] = {0.965, 0.737, 0.271},
            [BS_ON_NOW] = {0.102, 0.078, 0.020},
            [BS_DONE] = {0.137, 0.361, 0.298},
            [BS_ON_DONE] = {0.788, 0.941, 0.886},
            [BS_TROUBLE] = {0.941, 0.502, 0.235},
            [BS_ON_DEEP] = {0.933, 0.945, 0.957},
            [BS_ON_PALE] = {0.047, 0.078, 0.110},
            [BS_GOOD_TEXT] = {0.373, 0.816, 0.682},
            [BS_BAD_TEXT] = {1.000, 0.604, 0.361},
        },
    .ramp = {{0.125, 0.149, 0.180},
             {0.137, 0.251, 0.361},
             {0.173, 0.431, 0.580},
             {0.275, 0.639, 0.706},
             {0.647, 0.839, 0.604},
             {1.000, 0.953, 0.690}},
};

static double mix(double a, double b, double part)
{
    return a + (b - a) * part;
}

struct bs_colour bs_theme_ramp(const struct bs_theme *theme, double part)
{
    const double at = (part < 0 ? 0 : part > 1 ? 1 : part) * (BS_RAMP - 1);
    const unsigned low = at >= BS_RAMP - 1 ? BS_RAMP - 2 : (unsigned)at;
    const struct bs_colour *a = &theme->ramp[low];
    const struct bs_colour *b = &theme->ramp[low + 1];
    const double rest = at - low;
    return (struct bs_colour){mix(a->red, b->red, rest), mix(a->green, b->green, rest),
                              mix(a->blue, b->blue, rest)};
}
