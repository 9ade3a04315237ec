# Plug-ins in place of the CUDA one, for device/plugin: <build>/tests/plugins/VARIANT/libtesela_cuda.so.

add_library(test_plugin_gone SHARED "${CMAKE_CURRENT_LIST_DIR}/gone.c")
tesela_compile_options(test_plugin_gone)
foreach(variant IN ITEMS cards old-card no-card other-build no-plugin missing-library)
    string(REPLACE "-" "_" symbol "${variant}")
    string(TOUPPER "${symbol}" symbol)
    set(target "test_plugin_${variant}")
    add_library(${target} MODULE "${CMAKE_CURRENT_LIST_DIR}/plugin.c")
    tesela_compile_options(${target})
    target_compile_definitions(${target} PRIVATE VARIANT=${symbol})
    target_include_directories(${target} PRIVATE
        $<TARGET_PROPERTY:tesela_objects,INTERFACE_INCLUDE_DIRECTORIES>)
    add_dependencies(${target} tesela_interface)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME tesela_cuda BUILD_RPATH "" SKIP_BUILD_RPATH ON
        LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/plugins/${variant}")
endforeach()
target_link_libraries(test_plugin_missing-library PRIVATE test_plugin_gone)

# What makes transforms wrong, for cli/fft: <build>/tests/plugins/libtest_wrong_fftw.so.
add_library(test_wrong_fftw SHARED "${CMAKE_CURRENT_LIST_DIR}/wrong_fftw.c")
tesela_compile_options(test_wrong_fftw)
target_include_directories(test_wrong_fftw PRIVATE
    $<TARGET_PROPERTY:tesela_objects,INTERFACE_INCLUDE_DIRECTORIES>)
set_target_properties(test_wrong_fftw PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/plugins")

# What makes MPI say that it takes device memory, for mpi/mpi: <build>/tests/plugins/libtest_aware_mpi.so.
add_library(test_aware_mpi SHARED "${CMAKE_CURRENT_LIST_DIR}/aware_mpi.c")
tesela_compile_options(test_aware_mpi)
set_target_properties(test_aware_mpi PROPERTIES
    C_VISIBILITY_PRESET default LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/plugins")
