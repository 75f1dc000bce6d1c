/* See launches.h. */
#include "launches.h"

#include <stdlib.h>
#include <string.h>

/* ---- copies --------------------------------------------------------------------------------- */

/* Adds a string, with its NUL. */
static void put(struct bs_buffer *text, const char *string)
{
    if (string)
        bs_buffer_add(text, string, strlen(string) + 1);
}

/* Where the copy of a string is: *at moves on to the next one. */
static const char *take(const char **at, const char *string)
{
    const char *copy = *at;
    if (!string)
        return NULL;
    *at += strlen(string) + 1;
    return copy;
}

static bool add_place(struct bs_kernel_copy *copy, uint64_t pc, const char *text, size_t size)
{
    struct bs_source_place *places =
        bs_grow(copy->places, &copy->place_room, copy->place_count + 1, sizeof *places);
    if (!places)
        return false;
    copy->places = places;
    places[copy->place_count++].pc = pc;
    bs_buffer_add(&copy->place_text, text, size);
    bs_buffer_add(&copy->place_text, "", 1);
    return !copy->place_text.failed;
}

/* The places get their texts, which no longer move. */
static void settle(struct bs_kernel_copy *copy)
{
    const char *text = copy->place_text.data;
    for (size_t i = 0; i < copy->place_count; i++) {
        copy->places[i].text = text;
        text += strlen(text) + 1;
    }
    copy->kernel.places = copy->places;
    copy->kernel.place_count = copy->place_count;
}

bool bs_kernel_copy_fill(struct bs_kernel_copy *copy, const struct bs_kernel *kernel)
{
    copy->text.size = copy->place_text.size = copy->place_count = 0;
    copy->kernel = *kernel;
    put(&copy->text, kernel->name);
    put(&copy->text, kernel->model);
    put(&copy->text, kernel->demangled);
    put(&copy->text, kernel->device);
    bool good = !copy->text.failed;
    for (size_t i = 0; good && i < kernel->place_count; i++)
        good = add_place(copy, kernel->places[i].pc, kernel->places[i].text,
                         strlen(kernel->places[i].text));
    if (!good) {
        copy->kernel = (struct bs_kernel){0};
        return false;
    }
    const char *at = copy->text.data;
    copy->kernel.name = take(&at, kernel->name);
    copy->kernel.model = take(&at, kernel->model);
    copy->kernel.demangled = take(&at, kernel->demangled);
    copy->kernel.device = take(&at, kernel->device);
    settle(copy);
    return true;
}

void bs_kernel_copy_free(struct bs_kernel_copy *copy)
{
    bs_buffer_free(&copy->text);
    bs_buffer_free(&copy->place_text);
    free(copy->places);
}

/* ---- launches ------------------------------------------------------------------------------- */

const struct bs_kernel *bs_launches_begin(struct bs_launches *launches,
                                          const struct bs_kernel *kernel)
{
    if (!bs_kernel_copy_fill(&launches->last, kernel))
        return NULL;
    launches->last.kernel.launch = launches->count++;
    return &launches->last.kernel;
}

bool bs_launches_place(struct bs_launches *launches, uint64_t pc, const char *text, size_t size)
{
    return add_place(&launches->last, pc, text, size);
}

const struct bs_kernel *bs_launches_settle(struct bs_launches *launches)
{
    settle(&launches->last);
    return &launches->last.kernel;
}

/* The text so far has a NUL behind each place's, which does not count. */
bool bs_launches_has_room(const struct bs_launches *launches, size_t size)
{
    const struct bs_kernel_copy *last = &launches->last;
    const size_t text = last->place_text.size - last->place_count;
    return text + size + (last->place_count + 1) * BS_PER_PLACE <= BS_MAX_PLACES;
}

/* ---- kernels -------------------------------------------------------------------------------- */

struct bs_kernel bs_kernel_named(const char *name)
{
    return (struct bs_kernel){.name = name, .smem = -1};
}

const struct bs_source_place *bs_kernel_place(const struct bs_kernel *kernel, uint64_t pc)
{
    size_t low = 0, high = kernel->place_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (kernel->places[middle].pc == pc)
            return &kernel->places[middle];
        if (kernel->places[middle].pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
