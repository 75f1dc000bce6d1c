/*
 * What a trace format is: one file of functions and one row in the table of formats.
 */
#ifndef BS_FORMAT_H
#define BS_FORMAT_H

#include "bankshot-traces.h"
#include "input.h"
#include "launches.h"
#include "piece.h"

struct bs_sketch;
struct bs_format {
    const char *name;  /* "native text" */
    const char *start; /* how such a file starts, to tell people */

    /* Whether bytes, the first of the decompressed input, are of this format. */
    bool (*probe)(const char *bytes, size_t size);

    /* A reader of the input from its first byte on; both input and launches stay the caller's and
     * outlive it. NULL after filling error, which is not NULL here and below. */
    void *(*open)(struct bs_input *input, struct bs_launches *launches, struct bs_error *error);

    /* The same for formats of other tools, which count what they leave out; such a format has no
     * open. options and import outlive the reader too. */
    void *(*import)(struct bs_input *input, struct bs_launches *launches,
                    const struct bs_trace_options *options, struct bs_import *import,
                    struct bs_error *error);

    /* The same for a format that takes parameters; it too has no open. options need not outlive
     * the call. */
    void *(*open_with)(struct bs_input *input, struct bs_launches *launches,
                       const struct bs_trace_options *options, struct bs_error *error);

    /* What the file being read is called, if that is not the input's name; may be NULL. */
    const char *(*part)(const void *reader);

    /* Leaves records out that the filter, which stays, does not take; as many as is easy. NULL
     * where nothing is. Called at most once, before the first next. */
    void (*filter)(void *reader, const struct bs_filter *filter);

    /* The next launch, which is the last one of launches then, or the next record but for its
     * number: record->access.record comes as 0 and becomes the number of records that the reader
     * left out before it, or before the end. With an end, and with what a reader
     * finds before it, the error may be filled: a warning. Not called again after an end or an
     * error. */
    enum bs_trace_event (*next)(void *reader, struct bs_record *record, struct bs_error *error);

    /* Reading in pieces, for formats whose records need nothing but their launch to be read; NULL
     * for others. next_piece takes the place of next: where records follow it adds bytes of them to
     * a buffer, with BS_PIECE_SLACK behind, and says BS_TRACE_RECORD. open_pieces opens a reader
     * that gets pieces, of a launch that is the last one of launches, by start_piece; next then
     * gives the piece's records, and an end. Such a reader knows no more of input than its name.
     * The bytes may be changed. */
    enum bs_trace_event (*next_piece)(void *reader, struct bs_buffer *bytes, struct bs_piece *piece,
                                      struct bs_record *record, struct bs_error *error);
    void *(*open_pieces)(struct bs_input *input, struct bs_launches *launches,
                         struct bs_error *error);
    bool (*start_piece)(void *reader, char *bytes, const struct bs_piece *piece,
                        struct bs_error *error);

    /* See bs_trace_expectation and bs_trace_remark. NULL: there are none. */
    const char *(*expectation)(const void *reader, uint64_t pc, uint64_t *line, uint64_t *column);
    const char *(*remark)(const void *reader, enum bs_remark kind, size_t number);

    /* The sketch that the records are of; NULL where there is none. See sketch.h. */
    const struct bs_sketch *(*sketch)(const void *reader);

    void (*close)(void *reader);
};

extern const struct bs_format bs_text_format;
extern const struct bs_format bs_accelsim_format;
extern const struct bs_format bs_accelsim_list_format;
extern const struct bs_format bs_nvbit_format;
extern const struct bs_format bs_binary_format;
extern const struct bs_format bs_npy_format;
extern const struct bs_format bs_sketch_format;

/* The format of a file that starts with these bytes; NULL if there is none. */
const struct bs_format *bs_format_of(const char *bytes, size_t size);

/* How files start that are accepted, as one phrase for messages. Returns out. */
const char *bs_formats_phrase(char *out, size_t size);

#endif
