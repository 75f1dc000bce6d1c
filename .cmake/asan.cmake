# cmake -B build/asan -C .cmake/asan.cmake: address and undefined-behaviour sanitizers
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g" CACHE STRING "")
set(BANKSHOT_SANITIZE address,undefined CACHE STRING "")
