# What `tesela lab run` links into a learner's program: the runtime, a library of its own, and the
# headers of include/tesela-lab.

file(RELATIVE_PATH TSL_LAB_TO_INCLUDE "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
file(RELATIVE_PATH TSL_LAB_TO_LIBRARY "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
file(RELATIVE_PATH TSL_LAB_TO_COURSE "${CMAKE_INSTALL_FULL_BINDIR}"
    "${CMAKE_INSTALL_FULL_DATADIR}/tesela/course")
configure_file(src/lab/config.h.in "${generated_dir}/lab/config.h" @ONLY)

file(GLOB lab_run_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/lab/run/*.c")
add_library(tesela_lab_run STATIC ${lab_run_sources})
target_compile_definitions(tesela_lab_run PRIVATE _GNU_SOURCE)
target_include_directories(tesela_lab_run PRIVATE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
# Optimised in each kind of build: it is no part of what is tested with sanitizers.
target_compile_options(tesela_lab_run PRIVATE ${tesela_warnings} ${tesela_flags} -O2 -g1
    -fno-sanitize=all -fno-stack-protector)
add_dependencies(tesela tesela_lab_run)
install(TARGETS tesela_lab_run ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tesela-lab"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/course" DESTINATION "${CMAKE_INSTALL_DATADIR}/tesela")
