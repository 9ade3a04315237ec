# Each fuzz/fuzz_<name>.c is a libFuzzer harness; its test starts from seeds/<name>/ and runs for a
# bounded time in the build folder: see run.

# Of all there is, only what the harnesses need is built.
add_custom_target(fuzz)
file(GLOB harnesses CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/fuzz_*.c")
foreach(source IN LISTS harnesses)
    cmake_path(GET source STEM target)
    string(REGEX REPLACE "^fuzz_" "" name "${target}")
    add_executable(${target} "${source}")
    tesela_compile_options(${target})
    target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    target_compile_definitions(${target} PRIVATE TSL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${target} PRIVATE tesela_objects)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzz ${target})
    tesela_test(fuzz/${name} bash "${CMAKE_CURRENT_LIST_DIR}/run" "$<TARGET_FILE:${target}>"
        "${CMAKE_CURRENT_LIST_DIR}/seeds/${name}")
    set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz TIMEOUT 3600 COST 60)
endforeach()
