# The CUDA plug-in, where nvcc is found: a module of its own, opened at run time, so that the library and
# the command need neither driver nor CUDA's libraries.

set(TSL_CUDA AUTO CACHE STRING "The CUDA plug-in: AUTO, ON or OFF")
set_property(CACHE TSL_CUDA PROPERTY STRINGS AUTO ON OFF)
if(NOT TSL_CUDA OR TSL_SANITIZE OR TSL_FUZZ) # compute-sanitizer does that work on a GPU
    return()
endif()

include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
    if(NOT TSL_CUDA STREQUAL "AUTO")
        message(FATAL_ERROR "TSL_CUDA is ON, but nvcc was not found: add it to PATH or set CUDACXX")
    endif()
    message(STATUS "nvcc was not found: built without CUDA")
    return()
endif()

if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90) # 90 carries PTX for newer cards
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/src/*.cu")
# NCCL is opened at run time; here only its header is needed.
set(TSL_NCCL AUTO CACHE STRING "Messages between GPUs by NCCL: AUTO, ON or OFF")
set_property(CACHE TSL_NCCL PROPERTY STRINGS AUTO ON OFF)
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
if(TSL_NCCL AND NOT NCCL_INCLUDE_DIR)
    if(NOT TSL_NCCL STREQUAL "AUTO")
        message(FATAL_ERROR "TSL_NCCL is ON, but nccl.h was not found: set NCCL_INCLUDE_DIR")
    endif()
    message(STATUS "nccl.h was not found: built without NCCL (NVIDIA's packages: apt install libnccl-dev)")
endif()
if(NOT TSL_NCCL OR NOT NCCL_INCLUDE_DIR)
    list(FILTER cuda_sources EXCLUDE REGEX "/nccl_cuda[.]cu$")
endif()
# Blocks that launch grids need relocatable code, which costs other kernels registers and calls. So they
# are a library of their own, linked by nvcc before the plug-in is.
set(nested_source "${PROJECT_SOURCE_DIR}/src/blocks/simplex/nested_cuda.cu")
list(REMOVE_ITEM cuda_sources "${nested_source}")
add_library(tesela_nested STATIC "${nested_source}")
set_target_properties(tesela_nested PROPERTIES
    CUDA_SEPARABLE_COMPILATION ON CUDA_RESOLVE_DEVICE_SYMBOLS ON POSITION_INDEPENDENT_CODE ON)

tesela_functionals(cuda_sources .cu)
add_library(tesela_cuda MODULE ${cuda_sources}
    # What the kernels' files call of the library, once more: a plug-in must not reach into its host.
    # Nothing with a state of its own: see tsl_host in src/device/plugin.h.
    src/context/branch.c src/core/error.c src/core/library.c src/device/memory.c src/blocks/convolve/convolve.c
    src/blocks/fft/line.c)
set(launcher "${PROJECT_SOURCE_DIR}/cmake/record-ptxas" ${CMAKE_CUDA_COMPILER_LAUNCHER})
foreach(target IN ITEMS tesela_cuda tesela_nested)
    add_dependencies(${target} tesela_interface)
    set_target_properties(${target} PROPERTIES
        CUDA_STANDARD 20 CUDA_VISIBILITY_PRESET hidden CUDA_RUNTIME_LIBRARY Static
        # What kernels take of a multiprocessor is recorded, for tools/kernel-budget.
        CUDA_COMPILER_LAUNCHER "${launcher}")
    target_include_directories(${target} PRIVATE ${functionals_include}
        "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${generated_dir}")
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:C>:${tesela_warnings} ${tesela_flags}>
        # No fused multiply-adds, as on the CPU: see tesela_flags.
        $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false -Xptxas=-v -Xcompiler=-Wall,-Wextra
            $<$<BOOL:${TSL_WERROR}>:--Werror=all-warnings -Xcompiler=-Werror>>)
endforeach()
if(TSL_NCCL AND NCCL_INCLUDE_DIR)
    target_compile_definitions(tesela_cuda PRIVATE TSL_HAVE_NCCL)
    target_include_directories(tesela_cuda SYSTEM PRIVATE "${NCCL_INCLUDE_DIR}")
endif()
set_target_properties(tesela_cuda PROPERTIES CUDA_RESOLVE_DEVICE_SYMBOLS OFF)
target_link_libraries(tesela_cuda PRIVATE tesela_nested CUDA::cufft m ${CMAKE_DL_LIBS})
target_link_options(tesela_cuda PRIVATE -Wl,--no-undefined)
install(TARGETS tesela_cuda LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
set(TSL_HAVE_CUDA ON)
