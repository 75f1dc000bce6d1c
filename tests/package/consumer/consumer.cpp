// The same in C++: the headers are for it, too.
#include <bankshot-traces.h>
#include <bankshot.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

int main()
{
    bs_errors errors = {};
    const char **folders = bs_model_folders(MODELS);
    bs_model *model = bs_model_load("hopper", folders, nullptr, &errors);
    std::free(folders);
    if (!model) {
        std::fprintf(stderr, "consumer: %s\n", errors.list[0].text);
        return 1;
    }

    std::vector<uint32_t> addresses;
    for (uint32_t lane = 0; lane < BS_MAX_LANES; lane++)
        addresses.push_back(8 * lane);
    bs_access access = {};
    access.mask = UINT32_MAX;
    access.addr = addresses.data();
    bs_cost cost = {};
    bs_error error;
    const bool ok = bs_op_parse("ld.b64", 6, &access.op) &&
                    bs_access_check(model, &access, false, &error) &&
                    bs_count(model, &access, &cost) && model->mapping.hash == BS_XOR_NONE;
    std::printf("%u passes\n", cost.passes);
    bs_model_free(model);

    bs_trace *trace = bs_trace_open("no-such-trace", &error);
    bs_trace_close(trace);
    return ok && !trace && error.status == BS_BAD_TRACE ? 0 : 1;
}
