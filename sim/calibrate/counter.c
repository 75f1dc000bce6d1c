/* See counter.h. */
#define _XOPEN_SOURCE 700 /* mkdtemp, readlink */
#include "counter.h"

#include "command/profile.h"
#include "core/buffer.h"
#include "core/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char magic[8] = "bsplays1";

unsigned bs_play_launches(const struct gpu_pattern *pattern)
{
    return pattern->op >= GPU_COPY_4 && pattern->op != GPU_COPY_CG_16 ? 2 : 1;
}

/* ---- the file ---------------------------------------------------------------------------------
 */

static bool write_plays(const char *path, const struct gpu_pattern *patterns, size_t count,
                        struct bs_error *error)
{
    FILE *file = fopen(path, "wb");
    const bool written = file && fwrite(magic, sizeof magic, 1, file) == 1 &&
                         fwrite(patterns, sizeof *patterns, count, file) == count;
    if (file && fclose(file) == 0 && written)
        return true;
    return bs_fail(error, BS_INTERNAL, path, 0, 0, "it cannot be written: %s", strerror(errno));
}

static bool is_sound(const struct gpu_pattern *patterns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (patterns[i].op >= GPU_OPS)
            return false;
    return true;
}

static struct gpu_pattern *read_patterns(FILE *file, size_t *count)
{
    struct gpu_pattern *list = NULL;
    size_t room = 0;
    for (*count = 0;; ++*count) {
        struct gpu_pattern *grown = bs_grow(list, &room, *count + 1, sizeof *list);
        if (!grown) {
            free(list);
            return NULL;
        }
        list = grown;
        if (fread(&list[*count], sizeof *list, 1, file) != 1)
            return list;
    }
}

struct gpu_pattern *bs_plays_read(const char *path, size_t *count, struct bs_error *error)
{
    char head[sizeof magic];
    FILE *file = fopen(path, "rb");
    if (!file) {
        bs_fail(error, BS_BAD_TRACE, path, 0, 0, "it cannot be read: %s", strerror(errno));
        return NULL;
    }
    struct gpu_pattern *list = NULL;
    if (fread(head, sizeof head, 1, file) == 1 && memcmp(head, magic, sizeof magic) == 0)
        list = read_patterns(file, count);
    fclose(file);
    if (list && is_sound(list, *count))
        return list;
    free(list);
    bs_fail(error, BS_BAD_TRACE, path, 0, 0, "it is no file of accesses to play");
    return NULL;
}

/* ---- the profiler -----------------------------------------------------------------------------
 */

/* What is counted for an access. What goes past the pipe is worked out by instruction. */
struct metric {
    enum bs_counter counter;
    const char *name;
};

static const struct metric *metric_of(const struct gpu_pattern *pattern)
{
    static const struct metric pipe = {BS_COUNTER_ALL,
                                       "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"};
    static const struct metric past = {
        BS_COUNTER_COPY_CG,
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts_cache_bypass.sum"};
    return pattern->op == GPU_COPY_CG_16 ? &past : &pipe;
}

/* Becomes the profiler; ends the process if that fails. */
static void become_profiler(const char *metrics, const char *self, const char *plays,
                            const char *csv)
{
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, 0);
    dup2(nothing, 1);
    dup2(nothing, 2);
    execlp("ncu", "ncu", "--csv", "--page", "raw", "--clock-control", "none", "--metrics", metrics,
           "--log-file", csv, self, "--play", plays, (char *)NULL);
    _exit(127);
}

static bool run_profiler(const char *metrics, const char *plays, const char *csv,
                         struct bs_error *error)
{
    char self[4096];
    const ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    if (size < 0)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "this program does not know where it is");
    self[size] = '\0';
    const pid_t child = fork();
    if (child < 0)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "ncu: %s", strerror(errno));
    if (child == 0)
        become_profiler(metrics, self, plays, csv);
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "ncu: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "there is no Nsight Compute (ncu) here");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0,
                       "Nsight Compute (ncu) may not read the counters here");
    return true;
}

/* ---- passes -----------------------------------------------------------------------------------
 */

/* The counter of a launch, less that of another one. */
static bool subtract(const struct bs_profile_launch *launch, const struct bs_profile_launch *less,
                     enum bs_counter counter, double *passes, struct bs_error *error)
{
    if (!launch->has[counter] || !less->has[counter])
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0,
                       "Nsight Compute does not have the counter of passes for this GPU");
    *passes = ((double)launch->value[counter] - (double)less->value[counter]) / GPU_PLAYS;
    return true;
}

/* The launches are those of bs_gauge_play: one that makes no access, then one for each, or two. */
static bool take_passes(const struct bs_profile *profile, const struct gpu_pattern *patterns,
                        size_t count, double *passes, struct bs_error *error)
{
    const enum bs_counter counter = metric_of(patterns)->counter;
    size_t launches = 1;
    for (size_t i = 0; i < count; i++)
        launches += bs_play_launches(&patterns[i]);
    if (profile->launch_count != launches)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0,
                       "Nsight Compute reports %zu launches, expected %zu", profile->launch_count,
                       launches);
    const struct bs_profile_launch *at = profile->launches + 1;
    for (size_t i = 0; i < count; i++) {
        const bool twice = bs_play_launches(&patterns[i]) == 2;
        if (!subtract(&at[twice], twice ? at : profile->launches, counter, &passes[i], error))
            return false;
        at += twice + 1;
    }
    return true;
}

/* The copy of one lane, which is one pass. */
static struct gpu_pattern lone_copy(uint32_t op)
{
    return (struct gpu_pattern){.op = op, .mask = 1};
}

/* Waiting for a copy, which every play does, is counted too: a copy of one lane tells how much. The
 * first access is that copy. */
static void take_off_waits(double *passes, size_t count)
{
    for (size_t i = 1; i < count; i++)
        passes[i] -= passes[0] - 1;
}

/* Of accesses that one metric counts. */
static bool count_in(const char *folder, const struct gpu_pattern *patterns, size_t count,
                     double *passes, struct bs_error *error)
{
    struct bs_buffer names = {0};
    struct bs_profile profile = {0};
    bs_buffer_printf(&names, "%s/plays%c%s/profile.csv", folder, 0, folder);
    bs_buffer_add(&names, "", 1);
    if (names.failed)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    const char *plays = names.data;
    const char *csv = plays + strlen(plays) + 1;
    const bool good = write_plays(plays, patterns, count, error) &&
                      run_profiler(metric_of(patterns)->name, plays, csv, error) &&
                      bs_profile_read(&profile, csv, error) &&
                      take_passes(&profile, patterns, count, passes, error);
    remove(plays);
    remove(csv);
    bs_profile_free(&profile);
    bs_buffer_free(&names);
    return good;
}

/* The same of copies with one op that are counted in the pipe. */
static bool count_copies(const char *folder, const struct gpu_pattern *patterns, size_t count,
                         double *passes, struct bs_error *error)
{
    struct gpu_pattern *with_lone = calloc(count + 1, sizeof *with_lone);
    double *costs = calloc(count + 1, sizeof *costs);
    bool good = with_lone && costs;
    if (!good)
        bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    if (good) {
        with_lone[0] = lone_copy(patterns->op);
        memcpy(with_lone + 1, patterns, count * sizeof *patterns);
        good = count_in(folder, with_lone, count + 1, costs, error);
    }
    if (good) {
        take_off_waits(costs, count + 1);
        memcpy(passes, costs + 1, count * sizeof *passes);
    }
    free(with_lone);
    free(costs);
    return good;
}

/* Whether both can be counted in one go. */
static bool go_together(const struct gpu_pattern *one, const struct gpu_pattern *other)
{
    return metric_of(one) == metric_of(other) && bs_play_launches(one) == bs_play_launches(other) &&
           (bs_play_launches(one) == 1 || one->op == other->op);
}

/* Profiles run by run of accesses that go together. */
static bool count_runs(const char *folder, const struct gpu_pattern *patterns, size_t count,
                       double *passes, struct bs_error *error)
{
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count; end++)
            if (!go_together(&patterns[end], &patterns[first]))
                break;
        const bool waits = bs_play_launches(&patterns[first]) > 1;
        if (!(waits ? count_copies : count_in)(folder, patterns + first, end - first,
                                               passes + first, error))
            return false;
    }
    return true;
}

bool bs_count_plays(const struct gpu_pattern *patterns, size_t count, double *passes,
                    struct bs_error *error)
{
    char *folder = bs_temporary_name();
    if (!folder)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    bool good = mkdtemp(folder) != NULL;
    if (!good)
        bs_fail(error, BS_INTERNAL, folder, 0, 0, "%s", strerror(errno));
    if (good) {
        good = count_runs(folder, patterns, count, passes, error);
        rmdir(folder);
    }
    free(folder);
    return good;
}
