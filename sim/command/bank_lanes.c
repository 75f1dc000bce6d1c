/* Lanes by bank, as a picture in numbers. */
#include "bank_lanes.h"

#include "core/lanes.h"

#include <inttypes.h>
#include <stdio.h>

/* Counts a lane once on each bank that holds a byte of it. */
static void add_lane(struct bs_bank_lanes *made, const struct bs_model *model, uint32_t address,
                     unsigned bytes)
{
    uint64_t met[BS_MAX_BANKS / 64] = {0};
    for (unsigned i = 0; i < bytes; i++) {
        const uint32_t bank = bs_model_place(model, address + i).bank;
        const bool again = met[bank / 64] >> bank % 64 & 1;
        met[bank / 64] |= UINT64_C(1) << bank % 64;
        made->lanes[bank] += !again;
    }
}

struct bs_bank_lanes bs_bank_lanes_of(const struct bs_model *model, const struct bs_access *access)
{
    struct bs_bank_lanes made = {.banks = model->banks};
    const uint64_t lanes = access->mask & bs_op_lanes(access->op, model->lanes);
    for (uint64_t left = lanes; left; left &= left - 1)
        add_lane(&made, model, access->addr[bs_lanes_lowest(left)], access->op.bytes);
    for (uint32_t bank = 0; bank < made.banks; bank++) {
        made.hit += made.lanes[bank] > 0;
        made.most = made.lanes[bank] > made.most ? made.lanes[bank] : made.most;
    }
    return made;
}

static void number(const struct bs_screen *screen, struct bs_spool *out, uint32_t lanes)
{
    char text[16];
    snprintf(text, sizeof text, "%4" PRIu32, lanes);
    if (lanes == 0)
        bs_screen_tone(screen, out, BS_DIM, "   .");
    else
        bs_screen_tone(screen, out, lanes > 1 ? BS_BAD : BS_GOOD, text);
}

void bs_bank_lanes_text(const struct bs_bank_lanes *lanes, const struct bs_screen *screen,
                        struct bs_spool *out)
{
    enum { ROW = 16 };
    bs_spool_printf(
        out, "  lanes on each bank: at most %" PRIu32 ", on %" PRIu32 " of %" PRIu32 " banks\n",
        lanes->most, lanes->hit, lanes->banks);
    for (uint32_t bank = 0; bank < lanes->banks; bank++) {
        if (bank % ROW == 0)
            bs_spool_printf(out, "    bank%4" PRIu32 " ", bank);
        number(screen, out, lanes->lanes[bank]);
        if (bank % ROW == ROW - 1 || bank + 1 == lanes->banks)
            bs_spool_text(out, "\n");
    }
}

void bs_bank_lanes_json(const struct bs_bank_lanes *lanes, struct bs_json *json)
{
    bs_json_list(json, "lanes_on_banks", BS_JSON_FLAT);
    for (uint32_t bank = 0; bank < lanes->banks; bank++)
        bs_json_number(json, NULL, lanes->lanes[bank]);
    bs_json_close(json);
}
