/*
 * The one growable array of bytes. Running out of memory sticks: later additions do nothing and
 * failed stays set, so a caller may check once at the end.
 */
#ifndef BS_BUFFER_H
#define BS_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct bs_buffer {
    char *data;
    size_t size;
    size_t room;
    bool failed;
};

/* Makes room for size more bytes; false when memory is out. */
bool bs_buffer_reserve(struct bs_buffer *buffer, size_t size);
void bs_buffer_add(struct bs_buffer *buffer, const void *bytes, size_t size);
void bs_buffer_text(struct bs_buffer *buffer, const char *text);
void bs_buffer_printf(struct bs_buffer *buffer, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Hands the bytes over as a NUL-terminated string that the caller frees, and empties the buffer.
 * NULL if memory ran out on the way. */
char *bs_buffer_take(struct bs_buffer *buffer);
void bs_buffer_free(struct bs_buffer *buffer);

/* Room for at least need elements of an array of *room of them. Returns the array, moved perhaps,
 * or NULL with the old one untouched. */
void *bs_grow(void *array, size_t *room, size_t need, size_t element);

#endif
