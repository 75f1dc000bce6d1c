/* Streams of captures as the tests make them. */
#ifndef STREAM_H
#define STREAM_H

#include "capture.h"

/* Code of the kernels of tiny.cu, as nvdisasm prints it. */
extern const char shift_listing[];
extern const char count_listing[];
extern const char shift_kernel[];
extern const char count_kernel[];
enum { CODE_AT = 0x7000, CODE_SIZE = 0x200 };

/* An event of a full warp at an offset of the code, with addresses from base on, step apart. */
struct bs_event event_at(uint64_t offset, enum bs_event_kind kind, uint8_t flags, uint32_t bytes,
                         uint32_t base, uint32_t step);

/* Adds to a stream: a GPU and its modules; a launch with its events; the end of one. */
void add_start(struct bs_buffer *stream);
void add_listing(struct bs_buffer *stream, const char *kernel, const char *listing);
void add_launch(struct bs_buffer *stream, const char *kernel, uint64_t number);
void add_events(struct bs_buffer *stream, const struct bs_event *events, size_t count);
void add_end(struct bs_buffer *stream, const struct bs_item_end *end);

/* Takes the whole stream; the trace that it gives as text, which the caller frees, or NULL. */
char *trace_of(const struct bs_buffer *stream, const struct bs_selection *selection,
               struct bs_capture_account *account, struct bs_error *error);

#endif
