# The MPI plug-in, where mpicc is found: a module of its own, opened at run time in a launch by mpirun
# and its kin, so that the library and the command need no MPI.

set(TSL_MPI AUTO CACHE STRING "The MPI plug-in: AUTO, ON or OFF")
set_property(CACHE TSL_MPI PROPERTY STRINGS AUTO ON OFF)
if(NOT TSL_MPI OR TSL_SANITIZE OR TSL_FUZZ) # MPI's own libraries are not built for sanitizers
    return()
endif()

find_package(MPI QUIET COMPONENTS C)
if(NOT MPI_C_FOUND)
    if(NOT TSL_MPI STREQUAL "AUTO")
        message(FATAL_ERROR "TSL_MPI is ON, but mpicc was not found; "
            "on Debian and Ubuntu: apt install libopenmpi-dev openmpi-bin")
    endif()
    message(STATUS "mpicc was not found: built without MPI "
        "(Debian and Ubuntu: apt install libopenmpi-dev openmpi-bin)")
    return()
endif()

file(GLOB mpi_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/comm/mpi/*.c")
add_library(tesela_mpi MODULE ${mpi_sources}
    # What these call of the library, once more: a plug-in must not reach into its host.
    # Nothing with a state of its own: see tsl_host in src/device/plugin.h.
    src/comm/combine.c src/comm/report.c src/comm/ways.c src/core/error.c src/device/memory.c)
add_dependencies(tesela_mpi tesela_interface)
tesela_compile_options(tesela_mpi)
target_compile_definitions(tesela_mpi PRIVATE TSL_STATIC) # exports nothing but its door
target_include_directories(tesela_mpi PRIVATE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${generated_dir}")
target_link_libraries(tesela_mpi PRIVATE MPI::MPI_C ${CMAKE_DL_LIBS})
target_link_options(tesela_mpi PRIVATE -Wl,--no-undefined)
install(TARGETS tesela_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
set(TSL_HAVE_MPI ON)
