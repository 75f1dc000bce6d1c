/* gzip, xz, zstd and plain bytes, as steps from a block of input to a block of output. */
#define ZLIB_CONST /* zlib reads its input, and says so only when asked */
#include "decoders.h"

#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void moved(struct bs_step_io *io, size_t in, size_t out)
{
    io->in += in;
    io->in_size -= in;
    io->out += out;
    io->out_size -= out;
}

static const char *starve(struct bs_step_io *io)
{
    io->starved = true;
    return "out of memory";
}

/* ---- plain ---------------------------------------------------------------------------------- */

static const char *plain_step(void *state, struct bs_step_io *io)
{
    (void)state;
    const size_t size = smaller(io->in_size, io->out_size);
    memcpy(io->out, io->in, size);
    moved(io, size, size);
    return NULL;
}

/* ---- gzip ----------------------------------------------------------------------------------- */

enum { GZIP_ONLY = 16 + MAX_WBITS };

static void *gzip_open(void)
{
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream && inflateInit2(stream, GZIP_ONLY) != Z_OK) {
        free(stream);
        return NULL;
    }
    return stream;
}

static const char *gzip_step(void *state, struct bs_step_io *io)
{
    z_stream *stream = state;
    stream->next_in = io->in;
    stream->avail_in = (uInt)smaller(io->in_size, UINT_MAX);
    stream->next_out = (Bytef *)io->out;
    stream->avail_out = (uInt)smaller(io->out_size, UINT_MAX);
    const uInt in = stream->avail_in;
    const uInt out = stream->avail_out;
    if (in == 0 && io->may_end)
        return NULL;
    const int result = inflate(stream, Z_NO_FLUSH);
    moved(io, in - stream->avail_in, out - stream->avail_out);
    io->may_end = result == Z_STREAM_END;
    if (result == Z_STREAM_END)
        return inflateReset(stream) == Z_OK ? NULL : starve(io);
    if (result == Z_OK || result == Z_BUF_ERROR)
        return NULL;
    if (result == Z_MEM_ERROR)
        return starve(io);
    return stream->msg ? stream->msg : "unexpected result";
}

static void gzip_close(void *state)
{
    inflateEnd(state);
    free(state);
}

/* ---- xz ------------------------------------------------------------------------------------- */

/* Four times what xz -9 asks for. A file may ask for gigabytes, and shall not get them. */
#define XZ_MEMORY (UINT64_C(256) << 20)

static void *xz_open(void)
{
    lzma_stream *stream = malloc(sizeof *stream);
    if (!stream)
        return NULL;
    *stream = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(stream, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK) {
        free(stream);
        return NULL;
    }
    return stream;
}

static const char *xz_problem(lzma_ret result)
{
    switch (result) {
    case LZMA_MEMLIMIT_ERROR:
        return "it needs more than 256 MiB of memory";
    case LZMA_FORMAT_ERROR:
        return "not the xz format";
    case LZMA_OPTIONS_ERROR:
        return "unsupported options";
    case LZMA_DATA_ERROR:
        return "the data is corrupt";
    default: /* liblzma's other results are not errors, or cannot happen here */
        return "unexpected result";
    }
}

static const char *xz_step(void *state, struct bs_step_io *io)
{
    lzma_stream *stream = state;
    if (io->may_end)
        return NULL;
    stream->next_in = io->in;
    stream->avail_in = io->in_size;
    stream->next_out = (uint8_t *)io->out;
    stream->avail_out = io->out_size;
    const lzma_ret result = lzma_code(stream, io->last ? LZMA_FINISH : LZMA_RUN);
    moved(io, io->in_size - stream->avail_in, io->out_size - stream->avail_out);
    io->may_end = result == LZMA_STREAM_END;
    if (result == LZMA_OK || result == LZMA_STREAM_END || result == LZMA_BUF_ERROR)
        return NULL;
    return result == LZMA_MEM_ERROR ? starve(io) : xz_problem(result);
}

static void xz_close(void *state)
{
    lzma_end(state);
    free(state);
}

/* ---- zstd ----------------------------------------------------------------------------------- */

static void *zstd_open(void)
{
    return ZSTD_createDStream();
}

static const char *zstd_step(void *state, struct bs_step_io *io)
{
    ZSTD_inBuffer in = {io->in, io->in_size, 0};
    ZSTD_outBuffer out = {io->out, io->out_size, 0};
    if (in.size == 0 && io->may_end)
        return NULL;
    const size_t result = ZSTD_decompressStream(state, &out, &in);
    moved(io, in.pos, out.pos);
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return starve(io);
    if (ZSTD_isError(result))
        return ZSTD_getErrorName(result);
    io->may_end = result == 0;
    return NULL;
}

static void zstd_close(void *state)
{
    ZSTD_freeDStream(state);
}

/* ---- the table ------------------------------------------------------------------------------ */

/* The second zstd row is a skippable frame, which parallel compressors put first. The last row fits
 * everything. */
static const struct bs_decoder decoders[] = {
    {"gzip", {0x1f, 0x8b}, 2, 0xff, gzip_open, gzip_step, gzip_close},
    {"xz", {0xfd, '7', 'z', 'X', 'Z', 0x00}, 6, 0xff, xz_open, xz_step, xz_close},
    {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, 0xff, zstd_open, zstd_step, zstd_close},
    {"zstd", {0x50, 0x2a, 0x4d, 0x18}, 4, 0xf0, zstd_open, zstd_step, zstd_close},
    {"plain", {0}, 0, 0, NULL, plain_step, NULL},
};

static bool has_magic(const struct bs_decoder *decoder, const unsigned char *bytes, size_t size)
{
    if (decoder->magic_size == 0)
        return true;
    return size >= decoder->magic_size && (bytes[0] & decoder->first_mask) == decoder->magic[0] &&
           memcmp(bytes + 1, decoder->magic + 1, decoder->magic_size - 1u) == 0;
}

const struct bs_decoder *bs_decoder_of(const unsigned char *bytes, size_t size)
{
    const struct bs_decoder *decoder = decoders;
    while (!has_magic(decoder, bytes, size))
        decoder++;
    return decoder;
}
