# What `tesela lab run` links into a learner's program: the runtime, a library of its own, and the
# headers of include/tesela-lab.

file(RELATIVE_PATH TSL_LAB_TO_INCLUDE "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
file(RELATIVE_PATH TSL_LAB_TO_LIBRARY "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
file(RELATIVE_PATH TSL_LAB_TO_COURSE "${CMAKE_INSTALL_FULL_BINDIR}"
    "${CMAKE_INSTALL_FULL_DATADIR}/tesela/course")
configure_file(src/lab/config.h.in "${generated_dir}/lab/config.h" @ONLY)

file(GLOB lab_run_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/lab/run/*.c")
add_library(tesela_lab_parts STATIC ${lab_run_sources}) # for tests, which see all of it
target_compile_definitions(tesela_lab_parts PRIVATE _GNU_SOURCE)
target_include_directories(tesela_lab_parts PRIVATE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
# Optimised in each kind of build: it is no part of what is tested with sanitizers.
target_compile_options(tesela_lab_parts PRIVATE ${tesela_warnings} ${tesela_flags} -O2 -g1
    -fno-sanitize=all -fno-stack-protector)

# A learner's program is linked with one object, of which it sees no more than the headers name: it
# can neither replace a part of the runtime nor reach into its state.
set(lab_run_library "${PROJECT_BINARY_DIR}/libtesela_lab_run.a")
set(lab_run_object "${PROJECT_BINARY_DIR}/tesela_lab_run.o")
set(lab_run_seen tsl_lab_* tsl_dynamic_shared cuda* __tsan_* __wrap_* __sync* __threadfence* __activemask __all_sync
    __any_sync __ballot_sync)
list(TRANSFORM lab_run_seen PREPEND --keep-global-symbol=)
add_custom_command(OUTPUT "${lab_run_library}"
    COMMAND "${CMAKE_LINKER}" -r --whole-archive "$<TARGET_FILE:tesela_lab_parts>" -o "${lab_run_object}"
    COMMAND "${CMAKE_OBJCOPY}" --wildcard ${lab_run_seen} "${lab_run_object}"
    COMMAND "${CMAKE_COMMAND}" -E rm -f "${lab_run_library}"
    COMMAND "${CMAKE_AR}" qcs "${lab_run_library}" "${lab_run_object}"
    DEPENDS tesela_lab_parts VERBATIM)
add_custom_target(tesela_lab_run ALL DEPENDS "${lab_run_library}")
add_dependencies(tesela tesela_lab_run)
install(FILES "${lab_run_library}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tesela-lab"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/course" DESTINATION "${CMAKE_INSTALL_DATADIR}/tesela")
