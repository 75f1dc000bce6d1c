# cmake -B build/debug -C .cmake/debug.cmake
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
