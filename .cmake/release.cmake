# cmake -B build/release -C .cmake/release.cmake: what a plain cmake -B build gives
set(CMAKE_BUILD_TYPE Release CACHE STRING "")
