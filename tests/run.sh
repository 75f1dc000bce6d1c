#!/bin/sh
# The test suite: installs what is missing, builds, and runs all tests, plain and then with the
# address and undefined-behaviour sanitizers. The last line is "N passed, N failed".
set -u
usage='usage: sh tests/run.sh [--quick | --asan | --tsan | --coverage] [-R REGEX]
  --quick     only the plain build           --tsan      only the thread sanitizer
  --asan      only address + undefined       --coverage  only line coverage of sim/ and traces/
  -R REGEX    only tests whose name matches'

suites='release asan'
regex=.
while [ $# -gt 0 ]; do
    case $1 in
    --quick) suites=release ;;
    --asan | --tsan | --coverage) suites=${1#--} ;;
    -R) regex=${2:?"$usage"} && shift ;;
    -h | --help) echo "$usage" && exit 0 ;;
    *) echo "$usage" >&2 && exit 2 ;;
    esac
    shift
done

cd "$(dirname "$0")/.." || exit 2
. tests/setup.sh
set_up

tests_that() { # are in all ("tests"), "failures", "skipped" or "disabled", by ctest's report
    sed -n "s/.*[^a-z]$1=\"\([0-9]*\)\".*/\1/p; /<testcase/q" "$report" 2>/dev/null | grep . || echo 0
}

coverage() { # Lines of the library and the command that ran
    find build/coverage/sim build/coverage/traces -name '*.gcda' -exec gcov -n -r -s "$PWD" {} + |
        awk -F"[':% ]+" '/^File/ { file = $2 } /^Lines executed/ && file != "" {
            printf "%6.1f %% of %5d lines  %s\n", $3, $5, file
            ran += $3 * $5 / 100; all += $5; file = "" }
            END { if (all) printf "%6.1f %% of %5d lines  together\n", 100 * ran / all, all }'
}

all_passed=0
all_failed=0
summary=
for suite in $suites; do
    folder=build/$suite
    [ "$suite" = release ] && folder=build
    passed=0
    failed=1 # until ctest says otherwise
    if build "$folder" all -C ".cmake/$suite.cmake" -DBANKSHOT_TESTS=ON; then
        report=$PWD/$folder/tests.xml
        rm -f "$report"
        ctest --test-dir "$folder" --output-on-failure -j "$jobs" --no-tests=error -R "$regex" \
            --timeout 900 --output-junit "$report"
        status=$?
        # A test that was skipped or could not start has not passed.
        failed=$(($(tests_that failures) + $(tests_that skipped) + $(tests_that disabled)))
        passed=$(($(tests_that tests) - failed))
        [ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
    fi
    [ "$suite" = coverage ] && coverage
    summary="$summary$suite: $passed passed, $failed failed
"
    all_passed=$((all_passed + passed))
    all_failed=$((all_failed + failed))
done

printf '\n%s' "$summary"
echo "$all_passed passed, $all_failed failed"
[ "$all_failed" -eq 0 ]
