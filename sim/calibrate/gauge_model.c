/* A device model as the device: what it says is what is measured, but for the clock's noise. */
#include "gauge.h"
#include "hypotheses.h"
#include "loops.h"
#include "patterns.h"

#include <stdio.h>
#include <stdlib.h>

enum { BRANCH = 7 /* cycles, as an H200 takes for one */ };

struct own {
    const struct bs_model *model;
    uint32_t noise; /* thousandths */
    uint64_t random;
};

/* As of a GPU, but for what no kernel can make by itself: the try of a compare-and-swap loop. */
static bool offers(const struct bs_gauge *gauge, struct bs_op op)
{
    const struct own *own = gauge->own;
    const bool atomic = op.kind == BS_ATOM || op.kind == BS_RED;
    return op.kind != BS_BAR && !(atomic && op.fn == BS_CAST) && bs_model_rule(own->model, op);
}

/* A reading that is off by up to the noise. */
static double noisy(struct own *own, double reading)
{
    if (own->noise == 0)
        return reading;
    const double off = (double)bs_draw_below(&own->random, 2 * own->noise + 1) - own->noise;
    return reading * (1 + off / 1000);
}

static bool measure(struct bs_gauge *gauge, enum bs_instrument instrument,
                    const struct bs_pattern *patterns, size_t count, double *costs,
                    struct bs_error *error)
{
    struct own *own = gauge->own;
    for (size_t i = 0; i < count; i++) {
        uint64_t src[BS_GAUGE_LANES];
        const struct bs_access access = bs_pattern_access(&patterns[i], src);
        if (!bs_access_check(own->model, &access, false, error))
            return false;
        costs[i] = bs_expected(own->model, instrument, &patterns[i]);
        if (instrument == BS_BY_CLOCK)
            costs[i] = noisy(own, costs[i]);
    }
    return true;
}

static bool time_loops(struct bs_gauge *gauge, const struct bs_loop *loops, size_t count,
                       double *cycles, struct bs_error *error)
{
    struct own *own = gauge->own;
    for (size_t i = 0; i < count; i++) {
        cycles[i] = bs_loop_cycles(own->model, &own->model->timing, BRANCH, &loops[i]);
        if (cycles[i] < 0)
            return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "the engine cannot run a loop");
        cycles[i] = noisy(own, cycles[i]);
    }
    return true;
}

static void close_gauge(struct bs_gauge *gauge)
{
    free(gauge->own);
    gauge->own = NULL;
}

bool bs_gauge_of_model(struct bs_gauge *gauge, const struct bs_model *model, uint32_t noise)
{
    struct own *own = malloc(sizeof *own);
    if (!own)
        return false;
    *own = (struct own){model, noise, 1};
    *gauge = (struct bs_gauge){.has = {true, true},
                               .basis = BS_ASSUMED,
                               .capacity = model->capacity,
                               .offers = offers,
                               .measure = measure,
                               .time = time_loops,
                               .close = close_gauge,
                               .own = own};
    snprintf(gauge->name, sizeof gauge->name, "a simulated %s", model->name);
    return true;
}
