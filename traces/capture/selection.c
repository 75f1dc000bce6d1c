/* Choosing kernels and launches, and the names that kernels have. */
#define _XOPEN_SOURCE 700 /* setenv */
#include "selection.h"

#include "kernel_name.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---------------------------------------------------------------------------------- */

typedef char *demangler(const char *mangled, char *room, size_t *size, int *status);

static demangler *find_demangler(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    union {
        void *object;
        demangler *function;
    } found = {.object = dlsym(RTLD_DEFAULT, "__cxa_demangle")};
    for (size_t i = 0; !found.object && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        found.object = library ? dlsym(library, "__cxa_demangle") : NULL;
    }
    return found.function;
}

char *bs_demangle(const char *mangled)
{
    int status;
    demangler *demangle = strncmp(mangled, "_Z", 2) == 0 ? find_demangler() : NULL;
    return demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
}

bool bs_selection_takes_kernel(const struct bs_selection *selection, const char *mangled)
{
    const char *pattern = selection->kernel;
    if (!pattern)
        return true;
    char *demangled = bs_demangle(mangled);
    const bool fits = bs_kernel_name_fits(pattern, mangled, demangled);
    free(demangled);
    return fits;
}

/* ---- the environment ------------------------------------------------------------------------ */

struct bs_selection bs_selection_everything(void)
{
    const struct bs_range all = {0, UINT64_MAX};
    return (struct bs_selection){.launch = all, .cta = all, .records = UINT64_MAX};
}

static bool put_range(const char *name, struct bs_range range)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 "-%" PRIu64, range.low, range.high);
    return setenv(name, text, 1) == 0;
}

bool bs_selection_to_environment(const struct bs_selection *selection)
{
    char records[32];
    snprintf(records, sizeof records, "%" PRIu64, selection->records);
    return setenv("BANKSHOT_CAPTURE_KERNEL", selection->kernel ? selection->kernel : "*", 1) == 0 &&
           put_range("BANKSHOT_CAPTURE_LAUNCH", selection->launch) &&
           put_range("BANKSHOT_CAPTURE_CTA", selection->cta) &&
           setenv("BANKSHOT_CAPTURE_RECORDS", records, 1) == 0;
}

bool bs_selection_of_environment(struct bs_selection *selection)
{
    const char *kernel = getenv("BANKSHOT_CAPTURE_KERNEL");
    const char *launch = getenv("BANKSHOT_CAPTURE_LAUNCH");
    const char *cta = getenv("BANKSHOT_CAPTURE_CTA");
    const char *records = getenv("BANKSHOT_CAPTURE_RECORDS");
    *selection = bs_selection_everything();
    selection->kernel = kernel;
    return (!launch || bs_range_parse(launch, &selection->launch)) &&
           (!cta || bs_range_parse(cta, &selection->cta)) &&
           (!records || bs_number_parse(records, strlen(records), UINT64_MAX, &selection->records));
}
