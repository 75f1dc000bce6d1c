/*
 * The counter for the common machines, in AVX2: the only file with more than standard C.
 *
 * A lane's access is one unit of its own width (the caller has made sure that this is exact). The
 * unit's place in its row, plus the number of the phase's first lane, is a virtual bank: each phase
 * has as many of the 32 as it has lanes. For each virtual bank the lanes that select it are found
 * as a bit mask, one bit of the bank number at a time, for all 32 banks at once; where the rule
 * lets lanes share, all but one of those with the same unit are taken out. Passes are the largest
 * number of lanes on a bank, summed over the phases.
 */
#include "count.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include "lanes.h"
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,popcnt,bmi")))

bool bs_simd_available(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("bmi");
}

/* One access on its way through the counter. A pair of vectors has a 16-bit element for each lane:
 * 0-7 and 16-23 in the first, 8-15 and 24-31 in the second, which pack to bytes in order. */
struct lanes {
    const uint32_t *addr;
    uint32_t shift;  /* of an address to its unit */
    uint32_t active; /* lanes */
    uint32_t size;   /* lanes of a phase, merged if they merge */
    __m256i on[2];   /* all ones for active lanes */
    __m256i unit[2]; /* of active lanes; each of the others has a number of its own, a high one */
    __m256i bank;    /* the virtual banks as bytes */
};

/* ---- lanes and vectors ------------------------------------------------------------------------
 */

/* All ones in the elements of active lanes, of lanes 8 v to 8 v + 7. */
AVX2 static inline __m256i active_elements(uint32_t active, unsigned v)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i set = _mm256_set1_epi32((int)(active >> 8 * v & 255));
    return _mm256_cmpeq_epi32(_mm256_and_si256(set, bit), bit);
}

/* The lanes whose elements of a pair are all ones; the others' are zero. */
AVX2 static inline uint32_t lanes_of(__m256i first, __m256i second)
{
    return (uint32_t)_mm256_movemask_epi8(_mm256_packs_epi16(first, second));
}

AVX2 static inline __m256i lane_numbers(unsigned of_pair)
{
    return of_pair ? _mm256_setr_epi16(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
                   : _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
}

/* Loads the units. False if an address is not a multiple of alignment or a unit's number needs more
 * than 16 bits. */
AVX2 static inline bool load_units(struct lanes *lanes, uint32_t alignment, bool all_active)
{
    const uint32_t limit = ~((UINT32_C(1) << (16 + lanes->shift)) - 1); /* shift <= 8 */
    const __m128i shift = _mm_cvtsi32_si128((int)lanes->shift);
    const __m256i high = _mm256_set1_epi16(-32); /* 0xffe0 */
    __m256i any = _mm256_setzero_si256();
    __m256i on[4];
    __m256i unit[4];
    for (unsigned v = 0; v < 4; v++) {
        const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(lanes->addr + 8 * v));
        on[v] = all_active ? _mm256_set1_epi32(-1) : active_elements(lanes->active, v);
        unit[v] = _mm256_and_si256(a, on[v]);
        any = _mm256_or_si256(any, unit[v]);
        unit[v] = _mm256_srl_epi32(unit[v], shift);
    }
    for (unsigned i = 0; i < 2; i++) {
        lanes->on[i] = _mm256_permute4x64_epi64(_mm256_packs_epi32(on[i], on[i + 2]), 0xd8);
        lanes->unit[i] = _mm256_permute4x64_epi64(_mm256_packus_epi32(unit[i], unit[i + 2]), 0xd8);
        if (!all_active)
            lanes->unit[i] = _mm256_or_si256(
                lanes->unit[i],
                _mm256_andnot_si256(lanes->on[i], _mm256_or_si256(high, lane_numbers(i))));
    }
    return _mm256_testz_si256(any, _mm256_set1_epi32((int)(limit | (alignment - 1)))) != 0;
}

/* ---- phases that merge ------------------------------------------------------------------------
 */

/* The elements of the lanes t ^ partner, 1 or 2. */
AVX2 static inline __m256i of_partners(__m256i elements, uint32_t partner)
{
    return partner == 1
               ? _mm256_or_si256(_mm256_slli_epi32(elements, 16), _mm256_srli_epi32(elements, 16))
               : _mm256_shuffle_epi32(elements, 0xb1);
}

/* Whether every active lane's partner is inactive or has the same unit. */
AVX2 static inline bool partners_agree(const struct lanes *lanes, uint32_t partner)
{
    for (unsigned i = 0; i < 2; i++) {
        const __m256i both = _mm256_and_si256(lanes->on[i], of_partners(lanes->on[i], partner));
        const __m256i other = of_partners(lanes->unit[i], partner);
        if (!_mm256_testc_si256(_mm256_cmpeq_epi16(lanes->unit[i], other), both))
            return false;
    }
    return true;
}

/* bs_merge_partner, on the units: aligned accesses have the same unit where they have the same
 * address, unless a bank word is wider than the access. */
AVX2 static inline uint32_t merge_partner(const struct lanes *lanes, const struct bs_rule *rule,
                                          const struct bs_access *access, bool unit_is_address)
{
    for (uint32_t i = 0; i < rule->merges; i++)
        if (rule->merge[i] > 2 || !unit_is_address)
            return bs_merge_partner(rule, access, lanes->active);
    for (uint32_t i = 0; i < rule->merges; i++)
        if (partners_agree(lanes, rule->merge[i]))
            return rule->merge[i];
    return 0;
}

/* ---- lanes on banks ---------------------------------------------------------------------------
 */

/* The units modulo places, of which the banks have been divided by 2^split. The divisor of the
 * banks serves for all such parts: its factor is the same, and 16 bits of it do for 16. */
AVX2 static inline __m256i places_of(__m256i unit, const struct bs_divisor *banks, uint32_t split)
{
    const uint32_t places = banks->by >> split;
    if ((places & (places - 1)) == 0)
        return _mm256_and_si256(unit, _mm256_set1_epi16((short)(places - 1)));
    const __m256i factor = _mm256_set1_epi16((short)(((banks->multiplier - 1) >> 16) + 1));
    const __m256i high = _mm256_mulhi_epu16(unit, factor);
    const __m256i half = _mm256_srli_epi16(_mm256_sub_epi16(unit, high), 1); /* no carry is lost */
    const __m256i quotient = _mm256_srl_epi16(_mm256_add_epi16(half, high),
                                              _mm_cvtsi32_si128((int)(banks->shift - split - 1)));
    return _mm256_sub_epi16(unit, _mm256_mullo_epi16(quotient, _mm256_set1_epi16((short)places)));
}

AVX2 static inline void find_banks(struct lanes *lanes, const struct bs_divisor *banks,
                                   uint32_t split)
{
    const __m256i first = _mm256_set1_epi16((short)(32 - lanes->size)); /* bits of a first lane */
    __m256i bank[2];
    for (unsigned i = 0; i < 2; i++)
        bank[i] = _mm256_add_epi16(places_of(lanes->unit[i], banks, split),
                                   _mm256_and_si256(lane_numbers(i), first));
    lanes->bank = _mm256_packus_epi16(bank[0], bank[1]);
}

/* For each byte of the masks, its set bits. */
AVX2 static inline __m256i count_bits(__m256i masks)
{
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                           2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i low = _mm256_and_si256(masks, nibble);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(masks, 4), nibble);
    return _mm256_add_epi8(_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high));
}

/* The set bits of each 32-bit mask. */
AVX2 static inline __m256i count_mask(__m256i masks)
{
    const __m256i halves = _mm256_maddubs_epi16(count_bits(masks), _mm256_set1_epi8(1));
    return _mm256_madd_epi16(halves, _mm256_set1_epi16(1));
}

/* How many of the active lanes select each of the 32 virtual banks, as bytes. */
AVX2 static inline __m256i count_banks(__m256i bank, uint32_t active)
{
    const __m256i has_bit[3] = {
        _mm256_setr_epi32(0, -1, 0, -1, 0, -1, 0, -1),
        _mm256_setr_epi32(0, 0, -1, -1, 0, 0, -1, -1),
        _mm256_setr_epi32(0, 0, 0, 0, -1, -1, -1, -1),
    };
    const __m256i with[5] = {
        _mm256_set1_epi32(_mm256_movemask_epi8(_mm256_slli_epi16(bank, 7))),
        _mm256_set1_epi32(_mm256_movemask_epi8(_mm256_slli_epi16(bank, 6))),
        _mm256_set1_epi32(_mm256_movemask_epi8(_mm256_slli_epi16(bank, 5))),
        _mm256_set1_epi32(_mm256_movemask_epi8(_mm256_slli_epi16(bank, 4))),
        _mm256_set1_epi32(_mm256_movemask_epi8(_mm256_slli_epi16(bank, 3))),
    };
    /* Element e of vector v is bank 16 (e / 4) + 4 v + e % 4, so that the bytes come in order. */
    __m256i some = _mm256_set1_epi32((int)active); /* lanes that agree in bits 0, 1 and 4 */
    some = _mm256_andnot_si256(_mm256_xor_si256(with[0], has_bit[0]), some);
    some = _mm256_andnot_si256(_mm256_xor_si256(with[1], has_bit[1]), some);
    some = _mm256_andnot_si256(_mm256_xor_si256(with[4], has_bit[2]), some);
    const __m256i upper = _mm256_and_si256(some, with[3]);
    const __m256i lower = _mm256_andnot_si256(with[3], some);
    const __m256i low = _mm256_packs_epi32(count_mask(_mm256_andnot_si256(with[2], lower)),
                                           count_mask(_mm256_and_si256(with[2], lower)));
    const __m256i high = _mm256_packs_epi32(count_mask(_mm256_andnot_si256(with[2], upper)),
                                            count_mask(_mm256_and_si256(with[2], upper)));
    return _mm256_packus_epi16(low, high);
}

/* The largest byte of each group of size bytes, summed. */
AVX2 static inline uint32_t sum_of_largest(__m256i count, uint32_t size)
{
    if (size > 16)
        count = _mm256_max_epu8(count, _mm256_permute2x128_si256(count, count, 1));
    if (size > 8)
        count = _mm256_max_epu8(count, _mm256_shuffle_epi32(count, 0x4e));
    if (size > 4)
        count = _mm256_max_epu8(count, _mm256_srli_epi64(count, 32));
    if (size > 2)
        count = _mm256_max_epu8(count, _mm256_srli_epi32(count, 16));
    if (size > 1)
        count = _mm256_max_epu8(count, _mm256_srli_epi16(count, 8));
    if (size == 32)
        return (uint32_t)_mm256_cvtsi256_si32(count) & 255;
    const __m256i number =
        _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                         21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    const __m256i zero = _mm256_setzero_si256();
    const __m256i inside = _mm256_and_si256(number, _mm256_set1_epi8((char)(size - 1)));
    const __m256i first = _mm256_and_si256(count, _mm256_cmpeq_epi8(inside, zero));
    const __m256i sums = _mm256_sad_epu8(first, zero); /* of 8 bytes each */
    const __m128i sum =
        _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return (uint32_t)(_mm_cvtsi128_si32(sum) + _mm_extract_epi32(sum, 2));
}

/* ---- lanes with the same unit -----------------------------------------------------------------
 */

/* Turns each eight elements by one. */
AVX2 static inline __m256i turned(__m256i elements)
{
    return _mm256_alignr_epi8(elements, elements, 2);
}

/* Elements of a that equal any of the eight in the same half of b. */
AVX2 static inline __m256i equal_any(__m256i a, __m256i b)
{
    __m256i equal = _mm256_cmpeq_epi16(a, b);
    for (unsigned turn = 1; turn < 8; turn++) {
        b = turned(b);
        equal = _mm256_or_si256(equal, _mm256_cmpeq_epi16(a, b));
    }
    return equal;
}

/* Elements that equal one of the next four, around their eight: at least one of each equal two. */
AVX2 static inline __m256i equal_ahead(__m256i elements)
{
    __m256i ahead = turned(elements);
    __m256i equal = _mm256_cmpeq_epi16(elements, ahead);
    for (unsigned turn = 2; turn <= 4; turn++) {
        ahead = turned(ahead);
        equal = _mm256_or_si256(equal, _mm256_cmpeq_epi16(elements, ahead));
    }
    return equal;
}

/* Of every two active lanes with the same unit in one group of size lanes at least one; it may name
 * lanes of which that is not true in smaller groups than 8. */
AVX2 static inline uint32_t repeating_lanes(const struct lanes *lanes, uint32_t size)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i a = lanes->unit[0]; /* lanes 0-7 and 16-23 */
    const __m256i b = lanes->unit[1];
    __m256i in_a = equal_ahead(a);
    __m256i in_b = equal_ahead(b);
    if (size > 8)
        in_a = _mm256_or_si256(in_a, equal_any(a, b));
    if (size > 16) {
        const __m256i low = _mm256_permute2x128_si256(a, b, 0x20); /* lanes 0-15 */
        const __m256i high = _mm256_permute2x128_si256(a, b, 0x31);
        const __m256i swapped = _mm256_permute4x64_epi64(high, 0x4e);
        const __m256i in_low = _mm256_or_si256(equal_any(low, high), equal_any(low, swapped));
        in_a = _mm256_or_si256(in_a, _mm256_permute2x128_si256(in_low, zero, 0x20));
        in_b = _mm256_or_si256(in_b, _mm256_permute2x128_si256(in_low, zero, 0x21));
    }
    if (_mm256_testz_si256(_mm256_or_si256(in_a, in_b), _mm256_set1_epi8(-1)))
        return 0;
    return lanes_of(in_a, in_b) & lanes->active;
}

/* Of the active lanes of a phase with the same unit all but the first. */
AVX2 static uint32_t repeated_lanes(const struct lanes *lanes, uint32_t repeating)
{
    uint32_t repeated = 0;
    while (repeating) {
        const uint32_t t = (uint32_t)__builtin_ctz(repeating);
        const uint32_t phase = UINT32_MAX >> (32 - lanes->size) << (t & (32 - lanes->size));
        const __m256i unit = _mm256_set1_epi16((short)(lanes->addr[t] >> lanes->shift));
        const uint32_t same = lanes_of(_mm256_cmpeq_epi16(lanes->unit[0], unit),
                                       _mm256_cmpeq_epi16(lanes->unit[1], unit)) &
                              lanes->active & phase;
        repeated |= same & (same - 1);
        repeating &= ~same;
    }
    return repeated;
}

/* Takes out what the rule lets lanes share, once the banks show that there may be something. */
AVX2 static inline uint32_t shared_passes(const struct bs_rule *rule,
                                          const struct bs_access *access, const struct lanes *lanes,
                                          uint32_t passes, struct bs_counted *counted)
{
    const bool writes = bs_op_writes(access->op);
    const bool shares = rule->same_word == BS_MULTICAST;
    const bool one_each = lanes->active == UINT32_MAX && passes * lanes->size == 32;
    if (!writes && (!shares || one_each))
        return passes;
    const uint32_t repeating = repeating_lanes(lanes, writes ? 32 : lanes->size);
    counted->may_overlap = writes && repeating;
    const uint32_t repeated = shares && repeating ? repeated_lanes(lanes, repeating) : 0;
    if (!repeated)
        return passes;
    return sum_of_largest(count_banks(lanes->bank, lanes->active & ~repeated), lanes->size);
}

/* ---------------------------------------------------------------------------------------------- */

AVX2 bool bs_simd_count(const struct bs_model *model, const struct bs_rule *rule,
                        const struct bs_access *access, uint64_t active, struct bs_counted *counted)
{
    const uint32_t bytes = access->op.bytes;
    const uint32_t width = bytes > model->bank_width ? bytes : model->bank_width;
    struct lanes lanes = {
        .addr = access->addr,
        .shift = (uint32_t)__builtin_ctz(width),
        .active = (uint32_t)active,
        .size = 1u << rule->shortcut.phase_log2,
    };
    if (bytes & (bytes - 1) || model->row_bytes & (width - 1) ||
        !(lanes.active == UINT32_MAX ? load_units(&lanes, bytes, true)
                                     : load_units(&lanes, bytes, false)))
        return false;
    counted->may_overlap = false;
    counted->merged_by = merge_partner(&lanes, rule, access, width == bytes);
    if (counted->merged_by && lanes.size < 32)
        lanes.size *= 2;
    if (model->row_bytes >> lanes.shift > lanes.size)
        return false;
    find_banks(&lanes, &model->shortcut.banks, lanes.shift - model->shortcut.width.shift);
    counted->passes = sum_of_largest(count_banks(lanes.bank, lanes.active), lanes.size);
    if (counted->passes > 1)
        counted->passes = shared_passes(rule, access, &lanes, counted->passes, counted);
    return true;
}

#else

bool bs_simd_available(void)
{
    return false;
}

bool bs_simd_count(const struct bs_model *model, const struct bs_rule *rule,
                   const struct bs_access *access, uint64_t lanes, struct bs_counted *counted)
{
    (void)model;
    (void)rule;
    (void)access;
    (void)lanes;
    (void)counted;
    return false;
}

#endif
