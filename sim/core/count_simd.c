/*
 * The counter for the common machines, in AVX2: the only file with more than standard C.
 *
 * A lane's access is one unit of its own width (the caller has made sure that this is exact). The
 * unit's number gives a virtual bank: units of a row, times phases, at most 32. For each virtual
 * bank the lanes that select it are found as a bit mask, one bit of the bank number at a time, for
 * all 32 banks at once; the lanes whose unit an earlier lane of the phase has are taken out first
 * where the rule lets them share. Passes are the largest number of lanes in each phase's banks.
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

/* One access on its way through the counter. Lane t is element t % 8 of vector t / 8. */
struct lanes {
    __m256i unit[4];
    __m256i key[2];  /* the units as 16-bit numbers */
    __m256i bank;    /* the virtual banks as bytes */
    uint32_t active; /* lanes */
    uint32_t size;   /* lanes of a phase, merged if they merge */
};

static inline uint32_t log2_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

/* All ones in the elements of active lanes. */
AVX2 static inline __m256i active_elements(uint32_t active, unsigned vector)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i set = _mm256_set1_epi32((int)(active >> 8 * vector & 255));
    return _mm256_cmpeq_epi32(_mm256_and_si256(set, bit), bit);
}

/* Loads the units. False if an address is not a multiple of the unit or its number needs more than
 * 16 bits. */
AVX2 static inline bool load_units(struct lanes *lanes, const uint32_t *addr, uint32_t alignment,
                                   uint32_t shift)
{
    const uint32_t limit = ~((UINT32_C(1) << (16 + shift)) - 1); /* widths end at 256: shift <= 8 */
    __m256i all = _mm256_setzero_si256();
    for (unsigned v = 0; v < 4; v++) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(addr + 8 * v));
        if (lanes->active != UINT32_MAX)
            a = _mm256_and_si256(a, active_elements(lanes->active, v));
        all = _mm256_or_si256(all, a);
        lanes->unit[v] = _mm256_srl_epi32(a, _mm_cvtsi32_si128((int)shift));
    }
    return _mm256_testz_si256(all, _mm256_set1_epi32((int)(limit | (alignment - 1)))) != 0;
}

/* Whether every active lane's partner (t ^ 1 or t ^ 2) is inactive or has the same unit. */
AVX2 static inline bool partners_agree(const struct lanes *lanes, uint32_t partner)
{
    for (unsigned v = 0; v < 4; v++) {
        const __m256i unit = lanes->unit[v];
        const __m256i active = active_elements(lanes->active, v);
        const __m256i other =
            partner == 1 ? _mm256_shuffle_epi32(unit, 0xb1) : _mm256_shuffle_epi32(unit, 0x4e);
        const __m256i both =
            _mm256_and_si256(active, partner == 1 ? _mm256_shuffle_epi32(active, 0xb1)
                                                  : _mm256_shuffle_epi32(active, 0x4e));
        if (!_mm256_testc_si256(_mm256_cmpeq_epi32(unit, other), both))
            return false;
    }
    return true;
}

/* bs_merge_partner, on the units: aligned accesses have the same unit where they have the same
 * address, unless a bank word is wider than the access. */
AVX2 static uint32_t merge_partner(const struct lanes *lanes, const struct bs_rule *rule,
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

/* The virtual bank of each lane: its unit's place in the row, and its phase above it. */
AVX2 static inline void find_banks(struct lanes *lanes, uint32_t places)
{
    const __m128i phase_shift = _mm_cvtsi32_si128((int)log2_of(lanes->size));
    const __m128i place_shift = _mm_cvtsi32_si128((int)log2_of(places));
    const __m256i place = _mm256_set1_epi32((int)(places - 1));
    __m256i bank[4];
    __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (unsigned v = 0; v < 4; v++)
        bank[v] = _mm256_and_si256(lanes->unit[v], place);
    for (unsigned v = 0; lanes->size < 32 && v < 4; v++) {
        const __m256i phase = _mm256_sll_epi32(_mm256_srl_epi32(lane, phase_shift), place_shift);
        bank[v] = _mm256_or_si256(bank[v], phase);
        lane = _mm256_add_epi32(lane, _mm256_set1_epi32(8));
    }
    const __m256i bytes = _mm256_packus_epi16(_mm256_packus_epi32(bank[0], bank[1]),
                                              _mm256_packus_epi32(bank[2], bank[3]));
    lanes->bank = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

/* The number of set bits of each 32-bit element. */
AVX2 static inline __m256i count_bits(__m256i value)
{
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                           2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i low = _mm256_and_si256(value, nibble);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(value, 4), nibble);
    const __m256i bytes =
        _mm256_add_epi8(_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high));
    const __m256i words = _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1));
    return _mm256_madd_epi16(words, _mm256_set1_epi16(1));
}

/* How many of the active lanes select each of the 32 virtual banks, 8 banks a vector. */
AVX2 static inline void count_banks(const struct lanes *lanes, uint32_t active, __m256i count[4])
{
    const __m256i has_bit[3] = {
        _mm256_setr_epi32(0, -1, 0, -1, 0, -1, 0, -1),
        _mm256_setr_epi32(0, 0, -1, -1, 0, 0, -1, -1),
        _mm256_setr_epi32(0, 0, 0, 0, -1, -1, -1, -1),
    };
    const __m256i b = lanes->bank;
    const __m256i with[5] = {
        _mm256_set1_epi32(_mm256_movemask_epi8(_mm256_slli_epi16(b, 7))),
        _mm256_set1_epi32(_mm256_movemask_epi8(_mm256_slli_epi16(b, 6))),
        _mm256_set1_epi32(_mm256_movemask_epi8(_mm256_slli_epi16(b, 5))),
        _mm256_set1_epi32(_mm256_movemask_epi8(_mm256_slli_epi16(b, 4))),
        _mm256_set1_epi32(_mm256_movemask_epi8(_mm256_slli_epi16(b, 3))),
    };
    __m256i low = _mm256_set1_epi32((int)active); /* lanes that agree in the low three bits */
    for (unsigned bit = 0; bit < 3; bit++)
        low = _mm256_andnot_si256(_mm256_xor_si256(with[bit], has_bit[bit]), low);
    const __m256i upper = _mm256_and_si256(low, with[4]);
    const __m256i lower = _mm256_andnot_si256(with[4], low);
    count[0] = count_bits(_mm256_andnot_si256(with[3], lower));
    count[1] = count_bits(_mm256_and_si256(with[3], lower));
    count[2] = count_bits(_mm256_andnot_si256(with[3], upper));
    count[3] = count_bits(_mm256_and_si256(with[3], upper));
}

AVX2 static inline uint32_t largest(__m256i count)
{
    __m128i most = _mm_max_epu32(_mm256_castsi256_si128(count), _mm256_extracti128_si256(count, 1));
    most = _mm_max_epu32(most, _mm_shuffle_epi32(most, 0x4e));
    most = _mm_max_epu32(most, _mm_shuffle_epi32(most, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(most);
}

/* The sum over the phases of the fullest bank of each. */
AVX2 static inline uint32_t sum_of_largest(const __m256i count[4], uint32_t places)
{
    if (places == 32)
        return largest(_mm256_max_epu32(_mm256_max_epu32(count[0], count[1]),
                                        _mm256_max_epu32(count[2], count[3])));
    if (places == 16)
        return largest(_mm256_max_epu32(count[0], count[1])) +
               largest(_mm256_max_epu32(count[2], count[3]));
    if (places == 8)
        return largest(count[0]) + largest(count[1]) + largest(count[2]) + largest(count[3]);
    uint32_t banks[32];
    uint32_t sum = 0;
    for (unsigned v = 0; v < 4; v++)
        _mm256_storeu_si256((__m256i *)(void *)(banks + 8 * v), count[v]);
    for (unsigned first = 0; first < 32; first += places) {
        uint32_t most = 0;
        for (unsigned i = first; i < first + places; i++)
            most = banks[i] > most ? banks[i] : most;
        sum += most;
    }
    return sum;
}

/* The 32 keys as a ring that turns. part[k] holds the keys that stand beside key[0] after a turn by
 * 8 k lanes more, and part[(k + 2) % 4] those beside key[1]. */
struct ring {
    __m256i part[4];
};

AVX2 static inline struct ring ring_of(const struct lanes *lanes)
{
    return (struct ring){{
        lanes->key[0],
        _mm256_permute2x128_si256(lanes->key[0], lanes->key[1], 0x21),
        lanes->key[1],
        _mm256_permute2x128_si256(lanes->key[1], lanes->key[0], 0x21),
    }};
}

/* Turns the ring by one lane. */
AVX2 static inline void ring_turn(struct ring *ring)
{
    const __m256i first = ring->part[0];
    for (unsigned k = 0; k < 3; k++)
        ring->part[k] = _mm256_alignr_epi8(ring->part[k + 1], ring->part[k], 2);
    ring->part[3] = _mm256_alignr_epi8(first, ring->part[3], 2);
}

/* Whether no two of the lanes have the same unit, when all are active. Half a turn meets all. */
AVX2 static inline bool all_differ(const struct lanes *lanes)
{
    struct ring ring = ring_of(lanes);
    __m256i same = _mm256_or_si256(_mm256_cmpeq_epi16(lanes->key[0], ring.part[1]),
                                   _mm256_cmpeq_epi16(lanes->key[1], ring.part[3]));
    same = _mm256_or_si256(same, _mm256_cmpeq_epi16(lanes->key[0], lanes->key[1]));
    for (unsigned ahead = 1; ahead < 8; ahead++) {
        ring_turn(&ring);
        for (unsigned k = 0; k < 4; k++)
            same = _mm256_or_si256(same, _mm256_cmpeq_epi16(lanes->key[k / 2], ring.part[k]));
    }
    return _mm256_testz_si256(same, same) != 0;
}

/* Lanes t whose unit lane t + ahead (around the ring) has, the ring being turned to part[k]. */
AVX2 static inline uint32_t same_ahead(const struct lanes *lanes, const struct ring *ring,
                                       unsigned k)
{
    const __m256i low = _mm256_cmpeq_epi16(lanes->key[0], ring->part[k]);
    const __m256i high = _mm256_cmpeq_epi16(lanes->key[1], ring->part[(k + 2) % 4]);
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
    return (uint32_t)_mm256_movemask_epi8(bytes);
}

/* Lanes whose unit an earlier active lane of their phase has. */
AVX2 static uint32_t repeated_lanes(const struct lanes *lanes)
{
    const uint32_t size = lanes->size;
    const uint32_t phase = size == 32 ? UINT32_MAX : (UINT32_C(1) << size) - 1;
    const uint32_t starts = UINT32_MAX / phase; /* the first lane of each phase */
    struct ring ring = ring_of(lanes);
    uint32_t repeated = 0;
    for (uint32_t turn = 0; turn < 8; turn++) {
        for (uint32_t k = 0; k < 4 && 8 * k + turn < size; k++) {
            const uint32_t ahead = 8 * k + turn;
            const uint32_t earlier = (phase >> ahead) * starts; /* t + ahead is in the phase of t */
            const uint32_t same = same_ahead(lanes, &ring, k) & earlier & lanes->active;
            repeated |= ahead ? same << ahead : 0;
        }
        ring_turn(&ring);
    }
    return repeated & lanes->active;
}

AVX2 static inline void find_keys(struct lanes *lanes)
{
    for (unsigned half = 0; half < 2; half++)
        lanes->key[half] = _mm256_permute4x64_epi64(
            _mm256_packus_epi32(lanes->unit[2 * half], lanes->unit[2 * half + 1]), 0xd8);
}

/* Takes out what the rule lets lanes share, once the banks show that there may be something. */
AVX2 static uint32_t shared_passes(const struct bs_rule *rule, const struct bs_access *access,
                                   struct lanes *lanes, uint32_t places, uint32_t passes,
                                   struct bs_counted *counted)
{
    const bool writes = bs_op_writes(access->op);
    const bool shares = rule->same_word == BS_MULTICAST;
    if (!writes && !shares)
        return passes;
    find_keys(lanes);
    if (lanes->active == UINT32_MAX && all_differ(lanes))
        return passes;
    counted->may_overlap = writes;
    const uint32_t repeated = shares ? repeated_lanes(lanes) : 0;
    if (!repeated)
        return passes;
    __m256i count[4];
    count_banks(lanes, lanes->active & ~repeated, count);
    return sum_of_largest(count, places);
}

AVX2 bool bs_simd_count(const struct bs_model *model, const struct bs_rule *rule,
                        const struct bs_access *access, uint64_t active, struct bs_counted *counted)
{
    const uint32_t bytes = access->op.bytes;
    const uint32_t width = bytes > model->bank_width ? bytes : model->bank_width;
    const uint32_t places = model->row_bytes / width; /* units in a row */
    struct lanes lanes = {.active = (uint32_t)active, .size = 1u << rule->shortcut.phase_log2};
    if (bytes == 12 || places == 0 || !load_units(&lanes, access->addr, bytes, log2_of(width)))
        return false;
    counted->may_overlap = false;
    counted->merged_by = merge_partner(&lanes, rule, access, width == bytes);
    if (counted->merged_by && lanes.size < 32)
        lanes.size *= 2;
    if (32 / lanes.size * places > 32)
        return false;
    find_banks(&lanes, places);
    __m256i count[4];
    count_banks(&lanes, lanes.active, count);
    counted->passes = sum_of_largest(count, places);
    const uint32_t phases = 32 / lanes.size;
    if (counted->passes > 1 || phases > 1)
        counted->passes = shared_passes(rule, access, &lanes, places, counted->passes, counted);
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
