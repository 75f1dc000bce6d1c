/*
 * bankshot's traces: reading and writing streams of shared-memory accesses.
 *
 *     struct bs_trace *trace = bs_trace_open("kernel.trace.xz", &error);
 *     struct bs_record record;
 *     while (bs_trace_next_record(trace, &record, &error) == BS_TRACE_RECORD)
 *         use(&record.access, record.kernel);
 *     bs_trace_close(trace);
 *
 * A reader streams: its memory grows neither with the records nor with the launches of a trace. The
 * format is chosen by content, never by file name; gzip, xz and zstd are recognised by their magic
 * numbers.
 */
#ifndef BANKSHOT_TRACES_H
#define BANKSHOT_TRACES_H

#include "bankshot.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an instruction stands for in the program's source, as people read it: "transpose.cu:17". */
struct bs_source_place {
    uint64_t pc;
    const char *text;
};

/* One launch. Make one with bs_kernel_named, so that what is not known says so. */
struct bs_kernel {
    const char *name;
    uint64_t launch;       /* number of the launch in its trace, from 0 */
    uint32_t grid[3];      /* 0: not known */
    uint32_t block[3];     /* 0: not known */
    int64_t smem;          /* bytes of shared memory a CTA; -1: not known */
    const char *model;     /* the device model that the trace asks for, or NULL */
    const char *demangled; /* the name as it stands in the program's source, or NULL */
    const char *device;    /* what the trace was made on, or NULL */
    uint32_t cc[2];        /* its compute capability, major and minor; 0, 0: not known */
    const struct bs_source_place *places; /* by ascending pc, each pc once */
    size_t place_count;
    uint64_t line;                     /* where the trace names it; 0 in formats without lines */
    uint64_t model_line, model_column; /* where it asks for the model; 0: not known */
};

/* A kernel of which nothing but the name is known. */
struct bs_kernel bs_kernel_named(const char *name);

/* The one of the kernel's places that an instruction has; NULL if the trace does not say. */
const struct bs_source_place *bs_kernel_place(const struct bs_kernel *kernel, uint64_t pc);

/* access.addr and .src point into the reader and hold until the next call. The kernel is the
 * reader's too and holds until the next launch: remember its number, or its name, not its address.
 */
struct bs_record {
    struct bs_access access;
    const struct bs_kernel *kernel;
    uint64_t line;                   /* where the record stands; 0 in formats without lines */
    uint32_t op_column, addr_column; /* of its op and its addresses in that line; 0: not known */
};

enum bs_trace_event {
    BS_TRACE_RECORD,
    BS_TRACE_LAUNCH, /* a launch begins: record->kernel; the record holds nothing else */
    BS_TRACE_END,
    BS_TRACE_ERROR, /* the error says where and why; the trace can only be closed */
};

struct bs_trace;

/* Opens a trace; "-" is standard input, and a folder stands for the kernelslist.g in it. NULL after
 * filling error. */
struct bs_trace *bs_trace_open(const char *path, struct bs_error *error);

/* What kind of trace a file starts as: "native text", "layout sketch", ...; NULL if it is none, or
 * cannot be read. */
const char *bs_trace_kind(const char *path);

/* A value for a parameter of a sketch. */
struct bs_let {
    const char *name;
    int64_t value;
};

/* How traces are read; all zero is the default. */
struct bs_trace_options {
    bool skip_bad;       /* of other tools: malformed lines are counted instead of being errors */
    bool zero_is_offset; /* NVBit writes 0 for inactive lanes: take it as the offset 0 instead */
    const struct bs_let *lets; /* parameters of a sketch; for anything else they are an error */
    size_t let_count;
    bool any_layout; /* of a sketch: accesses that no instruction can do under its layout are no
                        error, and are left out */
    struct bs_errors *errors; /* where to add all errors of a sketch, not only the first; or NULL */
};
struct bs_trace *bs_trace_open_with(const char *path, const struct bs_trace_options *options,
                                    struct bs_error *error);
void bs_trace_close(struct bs_trace *trace);

/* What comes next. A record belongs to the launch that began last, but in traces of programs that
 * run several kernels at once: there its kernel may be one that began before. */
enum bs_trace_event bs_trace_next(struct bs_trace *trace, struct bs_record *record,
                                  struct bs_error *error);

/* The same without the launches. */
enum bs_trace_event bs_trace_next_record(struct bs_trace *trace, struct bs_record *record,
                                         struct bs_error *error);

/* What the trace has to say when it could be used but may not be whole: a binary that was cut off
 * between blocks, at its end; a text whose last line has no line feed, from that line on. NULL:
 * nothing. Its status is BS_BAD_TRACE where something is known to be missing, else BS_OK. */
const struct bs_error *bs_trace_warning(const struct bs_trace *trace);

/* The records gone by so far, those that a filter left out too. */
uint64_t bs_trace_records(const struct bs_trace *trace);

/* From low to high, both included. */
struct bs_range {
    uint64_t low, high;
};

/* Reads N, A-B, A- or -B; A may not be above B. */
bool bs_range_parse(const char *word, struct bs_range *range);

/* The records that are wanted: those that fit all parts. */
struct bs_filter {
    const char *kernel; /* pattern with * and ? of a name of the kernel: the loader's, or as its
                           source has it, with or without namespace and arguments; NULL: any */
    const char *op;     /* of the op's native name, likewise */
    struct bs_range cta, warp; /* by number */
    struct bs_range pc;
    struct bs_range record; /* by number in the trace */
    uint64_t first;         /* so many of those that fit the rest, at most */
    uint32_t shard, shards; /* shard number shard, from 1, of so many; 0 shards: all */
};

/* Takes all records. */
struct bs_filter bs_filter_everything(void);

/* bs_trace_next then gives only those records, under the numbers that they have in the whole trace.
 * Call it before the first bs_trace_next; the patterns stay the caller's and outlive the trace. */
void bs_trace_filter(struct bs_trace *trace, const struct bs_filter *filter);

/* Whether the filter takes records of the launch at all, and whether the launch is to be counted
 * here: by exactly one shard of several. A filter that is NULL takes everything. */
bool bs_filter_takes_kernel(const struct bs_filter *filter, const struct bs_kernel *kernel);
bool bs_filter_counts_launch(const struct bs_filter *filter, const struct bs_kernel *kernel);

/* The launches that began so far. One without records counts too. */
uint64_t bs_trace_launches(const struct bs_trace *trace);

/* An op that no record was made of, and how many instructions had it. */
struct bs_unpriced {
    char name[48];
    uint64_t count;
};
enum { BS_MAX_UNPRICED = 32 };

/* What was taken from a trace of another tool and what was left out, so far. */
struct bs_import {
    const char *format; /* NULL: the trace is bankshot's own and nothing was left out */
    uint64_t lines;
    uint64_t shared;       /* instructions that became records, barriers apart */
    uint64_t barriers;     /* that became records */
    uint64_t global;       /* accesses to global or local memory */
    uint64_t inactive;     /* instructions without an active lane */
    uint64_t unreplayable; /* async copies whose shared-memory side is not in the trace */
    uint64_t other;        /* instructions that access no memory */
    uint64_t skipped;      /* malformed lines, with skip_bad */
    uint64_t transfers;    /* copies between host and device in a list of kernels */
    uint64_t mixed;        /* records whose other lanes went to global memory */
    uint64_t zeros;        /* records with addresses 0, which may be inactive lanes or offsets */
    uint64_t odd_headers;  /* launches whose header has values that cannot be right */
    struct bs_unpriced unpriced[BS_MAX_UNPRICED];
    size_t unpriced_count;
    uint64_t unpriced_rest; /* instructions of further such ops */
};
const struct bs_import *bs_trace_import(const struct bs_trace *trace);

/* What should hold of each record of an instruction, as an expression over the fields of a record
 * (active, passes, slots, ideal, undefined, excess, width, instructions); NULL: nothing. Only
 * sketches expect. */
const char *bs_trace_expectation(const struct bs_trace *trace, uint64_t pc, uint64_t *line,
                                 uint64_t *column);

/* What a sketch has to say, sentence by sentence, number from 0; NULL behind the last. Traces have
 * notes, of the last kind; all of those are known at the end of the trace. */
enum bs_remark {
    BS_REMARK_ABOUT, /* what it shows, in its author's words */
    BS_REMARK_HOLDS, /* its parameters and arrays */
    BS_REMARK_MIND,  /* what its records are not: accesses that were wanted wider, or are missing */
};
enum { BS_REMARK_TEXT = 2048 }; /* bytes at most, with the final NUL */
const char *bs_trace_remark(const struct bs_trace *trace, enum bs_remark kind, size_t number);

/* What the trace is called in messages: its path, or "-"; of a list of
 * files the one being read. */
const char *bs_trace_name(const struct bs_trace *trace);

/* Bytes of the file read so far and its size, for a progress bar; the size is 0 when not known. */
void bs_trace_progress(const struct bs_trace *trace, uint64_t *done, uint64_t *size);

/* Addresses as the native text writes them: runs joined by commas, A or A+S*N or A-S*N, one address
 * for each active lane of mask in ascending order. Fills addr by lane. column counts in the error
 * from the start of text. */
bool bs_runs_parse(const char *text, size_t size, uint64_t mask, uint32_t addr[BS_MAX_LANES],
                   struct bs_error *error);

/* The number of addresses that the runs give, if text is well-formed runs at all. */
bool bs_runs_count(const char *text, size_t size, uint64_t *count);

/* ---------------------------------------------------------------------------------------------
 * Writing
 */

struct bs_trace_writer;

/* The formats that can be written, by number from 0: "text", ...; NULL behind the last. */
const char *bs_writer_name(size_t number);

/* The format that the ending of a file's name stands for. */
const char *bs_writer_name_for(const char *path);

/* The trace goes to an open stream that stays the caller's; errors of the stream come back from the
 * call that meets them, at the latest from bs_writer_finish, which writes what is still due and
 * must be the last call but for the next two. */
struct bs_trace_writer *bs_writer_open(FILE *file, const char *format, struct bs_error *error);
/* A launch with all that the kernel says, source places too; what it points to need not outlive the
 * call. */
bool bs_writer_kernel(struct bs_trace_writer *writer, const struct bs_kernel *kernel,
                      struct bs_error *error);
bool bs_writer_record(struct bs_trace_writer *writer, const struct bs_access *access,
                      struct bs_error *error);

/* A remark in the trace for people's eyes, a line that readers skip. Formats that have no such
 * lines leave it out. */
bool bs_writer_comment(struct bs_trace_writer *writer, const char *text, struct bs_error *error);

/* What is to be minded of the trace, such as what is not in it: readers of it have that as a
 * remark. Formats without such leave it out. */
bool bs_writer_note(struct bs_trace_writer *writer, const char *text, struct bs_error *error);
bool bs_writer_finish(struct bs_trace_writer *writer, struct bs_error *error);

/* What was given but the format cannot hold, as a phrase; NULL if it held everything. */
const char *bs_writer_losses(const struct bs_trace_writer *writer);
void bs_writer_close(struct bs_trace_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
