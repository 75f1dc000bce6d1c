/* Making streams of captures, and traces of them. */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

const char shift_kernel[] = "_ZN4tiny5shiftEPf";
const char count_kernel[] = "_ZN4tiny5countILi8EEEvPj";

const char shift_listing[] =
    "//--------------------- .text._ZN4tiny5countILi8EEEvPj --------------------------\n"
    "\t.section\t.text._ZN4tiny5countILi8EEEvPj,\"ax\",@progbits\n"
    "        /*0090*/                   ATOMS.ADD RZ, [R3], R0 ;\n"
    "\t.section\t.text._ZN4tiny5shiftEPf,\"ax\",@progbits\n"
    "_ZN4tiny5shiftEPf:\n"
    ".text._ZN4tiny5shiftEPf:\n"
    "\t//## File \"/home/me/tiny.cu\", line 6\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
    "        /*0090*/                   STS [R3], R0 ;\n"
    "\t//## File \"/home/me/tiny.cu\", line 7\n"
    "        /*00a0*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;\n"
    "\t//## File \"/home/me/other.h\", line 70 inlined at \"/home/me/tiny.cu\", line 8\n"
    "        /*00b0*/              @!P0 LDS R0, [R4] ;\n"
    "        /*00c0*/                   UTMALDG.2D [UR4], [UR6] ;\n";

const char count_listing[] =
    "\t.section\t.text._ZN4tiny5countILi8EEEvPj,\"ax\",@progbits\n"
    "        /*0110*/                   ATOMS.POPC.INC.32 RZ, [R13+UR4] ;\n"
    "        /*0120*/                   ATOMS.ADD R15, [R13+UR5], R12 ;\n"
    "        /*0130*/                   ATOM.E.MAX.STRONG.GPU PT, R2, desc[UR4][R2.64], R5 ;\n"
    "        /*0140*/                   LDGSTS.E.BYPASS.128 [R11], desc[UR6][R2.64] ;\n"
    "        /*0150*/                   LDGSTS.E.128 [R11], desc[UR6][R2.64] ;\n"
    "        /*0160*/                   LDSM.16.MT88.4 R4, [R5] ;\n"
    "        /*0170*/                   LD.E.64 R4, [R4] ;\n"
    "        /*0180*/                   HGMMA.64x64x16.F32 R24, gdesc[UR8], R24 ;\n";

struct bs_event event_at(uint64_t offset, enum bs_event_kind kind, uint8_t flags, uint32_t bytes,
                         uint32_t base, uint32_t step)
{
    struct bs_event event = {.pc = CODE_AT + offset,
                             .mask = 0xffffffff,
                             .smem = 256,
                             .bytes = bytes,
                             .kind = (uint8_t)kind,
                             .flags = flags};
    for (unsigned lane = 0; lane < BS_EVENT_LANES; lane++) {
        event.address[lane] = base + lane * step;
        event.source[lane] = UINT64_C(0x7f0000000000) + 16 * lane;
    }
    return event;
}

void add_start(struct bs_buffer *stream)
{
    const struct bs_item_device device = {
        .name = "a GPU", .major = 9, .minor = 0, .reserved = 0x400};
    bs_buffer_text(stream, BS_STREAM_START);
    bs_item_put_device(stream, &device);
}

void add_listing(struct bs_buffer *stream, const char *kernel, const char *listing)
{
    bs_item_put_listing(stream, 0, kernel, listing);
}

void add_launch(struct bs_buffer *stream, const char *kernel, uint64_t number)
{
    const struct bs_item_launch launch = {.kernel = kernel,
                                          .number = number,
                                          .grid = {4, 1, 1},
                                          .block = {64, 1, 1},
                                          .pc = CODE_AT,
                                          .size = CODE_SIZE};
    bs_item_put_launch(stream, &launch);
}

void add_events(struct bs_buffer *stream, const struct bs_event *events, size_t count)
{
    const size_t begin = bs_item_begin_events(stream);
    for (size_t i = 0; i < count; i++)
        bs_item_add_event(stream, &events[i]);
    bs_item_end_events(stream, begin);
}

void add_end(struct bs_buffer *stream, const struct bs_item_end *end)
{
    static const struct bs_item_end nothing = {.failure = ""};
    bs_item_put_end(stream, end ? end : &nothing);
}

/* ---- taking --------------------------------------------------------------------------------- */

struct memory {
    const struct bs_buffer *stream;
    size_t at;
    FILE *file;
};

static bool read_memory(void *user, void *bytes, size_t size, size_t *got, struct bs_error *error)
{
    struct memory *memory = user;
    (void)error;
    *got = memory->stream->size - memory->at < size ? memory->stream->size - memory->at : size;
    if (*got > 0)
        memcpy(bytes, memory->stream->data + memory->at, *got);
    memory->at += *got;
    return true;
}

static FILE *open_memory(void *user, struct bs_error *error)
{
    struct memory *memory = user;
    (void)error;
    return memory->file = tmpfile();
}

static char *text_of(FILE *file)
{
    const long size = ftell(file);
    char *text = calloc(1, (size_t)size + 1);
    rewind(file);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size)
        text[0] = '\0';
    return text;
}

char *trace_of(const struct bs_buffer *stream, const struct bs_selection *selection,
               struct bs_capture_account *account, struct bs_error *error)
{
    const struct bs_selection everything = bs_selection_everything();
    struct memory memory = {.stream = stream};
    const struct bs_capture_plan plan = {.selection = selection ? selection : &everything,
                                         .choose_launches = selection != NULL,
                                         .format = "text",
                                         .open = open_memory,
                                         .user = &memory};
    const struct bs_item_source source = {
        .read = read_memory, .user = &memory, .name = "the stream"};
    struct bs_capture *capture = bs_capture_begin(&plan);
    bool good = bs_capture_take_all(capture, &source, error);
    good = bs_capture_finish(capture, good ? error : NULL) && good;
    *account = *bs_capture_account_of(capture);
    bs_capture_free(capture);
    char *text = good && memory.file ? text_of(memory.file) : NULL;
    if (memory.file)
        fclose(memory.file);
    return text;
}
