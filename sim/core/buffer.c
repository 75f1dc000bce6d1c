/* The growable array of bytes, and growth for arrays of anything else. */
#include "buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *bs_grow(void *array, size_t *room, size_t need, size_t element)
{
    if (need <= *room && array)
        return array;
    size_t larger = *room < 16 ? 16 : *room;
    while (larger < need) {
        if (larger > SIZE_MAX / 2)
            return NULL;
        larger *= 2;
    }
    if (larger > SIZE_MAX / element)
        return NULL;
    void *moved = realloc(array, larger * element);
    if (moved)
        *room = larger;
    return moved;
}

bool bs_buffer_reserve(struct bs_buffer *buffer, size_t size)
{
    if (buffer->failed)
        return false;
    char *data = size > SIZE_MAX - buffer->size
                     ? NULL
                     : bs_grow(buffer->data, &buffer->room, buffer->size + size, 1);
    if (data)
        buffer->data = data;
    else
        buffer->failed = true;
    return data != NULL;
}

void bs_buffer_add(struct bs_buffer *buffer, const void *bytes, size_t size)
{
    if (size == 0 || !bs_buffer_reserve(buffer, size))
        return;
    memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
}

void bs_buffer_text(struct bs_buffer *buffer, const char *text)
{
    bs_buffer_add(buffer, text, strlen(text));
}

void bs_buffer_printf(struct bs_buffer *buffer, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        buffer->failed = true;
    else if (bs_buffer_reserve(buffer, (size_t)length + 1)) {
        vsnprintf(buffer->data + buffer->size, (size_t)length + 1, format, again);
        buffer->size += (size_t)length;
    }
    va_end(again);
}

char *bs_buffer_take(struct bs_buffer *buffer)
{
    bs_buffer_add(buffer, "", 1);
    char *data = buffer->data;
    if (buffer->failed) {
        free(data);
        data = NULL;
    }
    *buffer = (struct bs_buffer){0};
    return data;
}

void bs_buffer_free(struct bs_buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct bs_buffer){0};
}
