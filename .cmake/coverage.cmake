# cmake -B build/coverage -C .cmake/coverage.cmake: counts which lines run
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g --coverage -fprofile-update=atomic" CACHE STRING "")
