# cmake -B build/tsan -C .cmake/tsan.cmake: thread sanitizer
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g" CACHE STRING "")
set(BANKSHOT_SANITIZE thread CACHE STRING "")
