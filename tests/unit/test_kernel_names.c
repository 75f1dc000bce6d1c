/* Which patterns fit a kernel, by its name in the loader and in its source? */
#include "kernel_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_mangled_name_says_what_people_type(void **state)
{
    (void)state;
    static const struct {
        const char *mangled, *typed;
    } cases[] = {
        {"_Z9transposeILi0EEvPKfPfi", "transpose<0>"},
        {"_Z4scanPKiPi", "scan"},
        {"_ZN2ns9transposeILi0EfEEvPKfPfi", "ns::transpose<0, float>"},
        {"_ZN2at6native4fillILin4ELj4ELb1ELb0ELm2ELt3EEEvv",
         "at::native::fill<-4, 4u, true, false, 2ul, (unsigned short)3>"},
        {"_ZN12_GLOBAL__N_11fIdEEvv", "(anonymous namespace)::f<double>"},
        {"_ZL6staticPf", "static"},
        {"_ZN2nsL1fEv", "ns::f"},
        /* Arguments beyond numbers and plain types are left out, all of them. */
        {"_ZN2at6kernelILi4ENS_7FunctorIfEEEEvT0_", "at::kernel"},
        {"_Z1fILi4E6float4EvT0_", "f"},
        {"_Z1fIE", "f"},
        {"_Z1fI", "f"},
        {"_Z1fILi4", "f"},
        {"_Z1fILi", "f"},
        {"_Z1fIL", "f"},
        /* What says nothing is the name as it is. */
        {"plain", "plain"},
        {"_Z", "_Z"},
        {"_Z0", "_Z0"},
        {"_Z9short", "_Z9short"},
        {"_Z99999999999999999999999f", "_Z99999999999999999999999f"},
        {"_ZN", "_ZN"},
        {"_ZNK1A1fEv", "_ZNK1A1fEv"},
        {"_ZN1AC1Ev", "_ZN1AC1Ev"},
        {"_ZplRK1A", "_ZplRK1A"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[BS_TYPED_NAME];
        assert_string_equal(bs_kernel_name_typed(cases[i].mangled, NULL, out), cases[i].typed);
    }
}

static void what_the_source_says_goes_before_the_mangled_name(void **state)
{
    (void)state;
    char out[BS_TYPED_NAME];
    assert_string_equal(
        bs_kernel_name_typed("_Z1fI6float4EvPT_", "void ns::f<float4>(float4 *)", out),
        "ns::f<float4>");
}

static void every_name_of_a_kernel_fits(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        bool by_mangled, by_demangled; /* what is known of it */
    } cases[] = {
        {"_ZN2ns9transposeILi0E6float4EvPKfPfi", true, true},
        {"transpose", true, true},
        {"ns::transpose", true, true},
        {"*transpose*", true, true},
        {"trans?ose", true, true},
        {"transpose<0, float4>", false, true},
        {"ns::transpose<0, float4>", false, true},
        {"ns::transpose<0, float4>(float const*, float*, int)", false, true},
        {"transpose<0, float4>(float const*, float*, int)", false, true},
        {"void ns::transpose<0, float4>(float const*, float*, int)", false, true},
        {"transpose<1*", false, false},
        {"ns", false, false},
        {"ranspose", false, false},
        {"transpos", false, false},
        {"", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name = "_ZN2ns9transposeILi0E6float4EvPKfPfi";
        const char *demangled = "void ns::transpose<0, float4>(float const*, float*, int)";
        if (bs_kernel_name_fits(cases[i].pattern, name, NULL) != cases[i].by_mangled ||
            bs_kernel_name_fits(cases[i].pattern, name, demangled) != cases[i].by_demangled)
            print_message("pattern '%s'\n", cases[i].pattern);
        assert_int_equal(bs_kernel_name_fits(cases[i].pattern, name, NULL), cases[i].by_mangled);
        assert_int_equal(bs_kernel_name_fits(cases[i].pattern, name, demangled),
                         cases[i].by_demangled);
    }
    assert_true(bs_kernel_name_fits("transpose<0>", "_Z9transposeILi0EEvPKfPfi", NULL));
    assert_false(bs_kernel_name_fits("transpose<1>", "_Z9transposeILi0EEvPKfPfi", NULL));
    assert_true(bs_kernel_name_fits("ns::f", "void ns::f<4>(int)", NULL));
}

static void a_long_name_is_no_reason_to_stop(void **state)
{
    (void)state;
    char name[3 * BS_TYPED_NAME], out[BS_TYPED_NAME];
    memset(name, 'x', sizeof name);
    memcpy(name, "_Z3000", 6);
    name[6 + 3000] = '\0';
    assert_int_equal(strlen(bs_kernel_name_typed(name, NULL, out)), BS_TYPED_NAME - 1);
    assert_true(bs_kernel_name_fits("_Z3000x*", name, NULL));
    assert_false(bs_kernel_name_fits("y*", name, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mangled_name_says_what_people_type),
        cmocka_unit_test(what_the_source_says_goes_before_the_mangled_name),
        cmocka_unit_test(every_name_of_a_kernel_fits),
        cmocka_unit_test(a_long_name_is_no_reason_to_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
