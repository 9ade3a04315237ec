# What can be chosen at configuration, and the flags every target is compiled with.

option(TSL_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(TSL_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(TSL_FUZZ "Build the libFuzzer harnesses in place of the other tests; needs clang" OFF)
option(TSL_QUICK "Compile quickly: functionals for one instruction set alone, and sim with few optimizations; both are slower" OFF)
option(TSL_NATIVE "Compile for this machine's processor only" OFF)
set(TSL_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined or thread")
set(TSL_CAIRO AUTO CACHE STRING "Figures through Cairo: AUTO, ON or OFF")
set(TSL_HDF5 AUTO CACHE STRING "HDF5 files: AUTO, ON or OFF")
set(TSL_ZLIB AUTO CACHE STRING "Gzipped input through zlib: AUTO, ON or OFF")
set(TSL_SUPERLU AUTO CACHE STRING "Direct solutions of sparse systems by SuperLU: AUTO, ON or OFF")
set(TSL_LAPACK AUTO CACHE STRING "Dense matrices by OpenBLAS or LAPACK: AUTO, ON or OFF")
set_property(CACHE TSL_CAIRO TSL_HDF5 TSL_ZLIB TSL_SUPERLU TSL_LAPACK PROPERTY STRINGS AUTO ON OFF)

# A compiler newer than those the sources are checked with may warn of something new; that must not
# keep anyone from building.
set(werror_default ON)
if((CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
        OR (CMAKE_C_COMPILER_ID STREQUAL "Clang" AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 15))
    set(werror_default OFF)
endif()
option(TSL_WERROR "Treat compiler warnings as errors" ${werror_default})

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Compiled files are kept from one build folder to the next where ccache is there.
find_program(TSL_CCACHE ccache)
if(TSL_CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER "${TSL_CCACHE}")
endif()
if(TSL_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER "${TSL_CCACHE}")
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Results must not depend on the processor: a fused multiply-add rounds once where a product and a
# sum round twice, so the compiler may not contract one into the other.
set(tesela_flags -ffp-contract=off)
if(TSL_NATIVE)
    list(APPEND tesela_flags -march=native)
endif()

set(tesela_sanitizer_flags "")
if(TSL_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "TSL_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang")
    endif()
    list(APPEND tesela_sanitizer_flags -fsanitize=fuzzer-no-link)
endif()
if(TSL_SANITIZE)
    list(APPEND tesela_sanitizer_flags
        -fsanitize=${TSL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()

set(tesela_warnings
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
    $<$<BOOL:${TSL_WERROR}>:-Werror>
    # Whether this one comes up depends on what the optimiser happens to see through.
    "$<$<C_COMPILER_ID:GNU>:-Wno-format-truncation;-Wjump-misses-init>"
    # Where `omp simd` cannot be followed, as between a sanitizer's checks, nothing is wrong.
    $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)

# Flags of all of tesela's own code: library, command, tests.
function(tesela_compile_options target)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
    target_compile_options(${target}
        PRIVATE ${tesela_warnings} ${tesela_flags} ${tesela_sanitizer_flags})
endfunction()
link_libraries(${tesela_sanitizer_flags})

# The flags as `tesela info` shows them.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set(TSL_FLAGS ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}} ${tesela_flags}
    ${tesela_sanitizer_flags})
list(JOIN TSL_FLAGS " " TSL_FLAGS)
string(STRIP "${TSL_FLAGS}" TSL_FLAGS)
