/* See launches.h. */
#include "launches.h"

#include <string.h>

enum { NO_TEXT = SIZE_MAX };

/* Adds a string, with its NUL; returns where it starts. */
static size_t put(struct bs_buffer *text, const char *string)
{
    const size_t start = text->size;
    if (!string)
        return NO_TEXT;
    bs_buffer_add(text, string, strlen(string) + 1);
    return start;
}

static const char *at(const struct bs_buffer *text, size_t start)
{
    return start == NO_TEXT ? NULL : text->data + start;
}

bool bs_kernel_copy_fill(struct bs_kernel_copy *copy, const struct bs_kernel *kernel)
{
    copy->text.size = 0;
    copy->kernel = *kernel;
    const size_t name = put(&copy->text, kernel->name);
    const size_t model = put(&copy->text, kernel->model);
    if (copy->text.failed) {
        copy->kernel = (struct bs_kernel){0};
        return false;
    }
    copy->kernel.name = at(&copy->text, name);
    copy->kernel.model = at(&copy->text, model);
    return true;
}

void bs_kernel_copy_free(struct bs_kernel_copy *copy)
{
    bs_buffer_free(&copy->text);
}

const struct bs_kernel *bs_launches_begin(struct bs_launches *launches,
                                          const struct bs_kernel *kernel)
{
    if (!bs_kernel_copy_fill(&launches->last, kernel))
        return NULL;
    launches->last.kernel.launch = launches->count++;
    return &launches->last.kernel;
}
