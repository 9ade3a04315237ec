# Which functionals are built. Their code is generated and committed; of a selection it is generated anew
# into the build folder, which comes before the source tree where headers are looked for.

set(TSL_XC "" CACHE STRING
    "Functionals to build, e.g. pbe;b3lyp;gga_x_b88: composites, Libxc's names or names of units (empty: all)")

set(functionals_include "")
if(TSL_XC)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    # the guess of tesela scf is made with the last two
    string(REPLACE ";" "," chosen "${TSL_XC};lda_x;lda_c_vwn")
    set(functionals_include "${PROJECT_BINARY_DIR}/functionals")
    set(functionals_dir "${functionals_include}/solvers/xc/generated")
    # what the code is made of: a change makes it anew
    file(GLOB generator CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/xcgen/xcgen"
        "${PROJECT_SOURCE_DIR}/tools/xcgen/*.py" "${PROJECT_SOURCE_DIR}/tools/xcgen/functionals/*.py")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${generator})
    execute_process(COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/xcgen/xcgen"
        --select "${chosen}" --output "${functionals_dir}"
        OUTPUT_QUIET ERROR_VARIABLE problem RESULT_VARIABLE result)
    if(result)
        message(FATAL_ERROR "TSL_XC=${chosen}: ${problem}")
    endif()
endif()

# tesela_functionals(LIST SUFFIX): put the selection's sources of a kind in the place of all.
function(tesela_functionals list suffix)
    if(TSL_XC)
        set(sources ${${list}})
        list(FILTER sources EXCLUDE REGEX "/src/solvers/xc/generated/")
        file(GLOB selected CONFIGURE_DEPENDS "${functionals_dir}/*${suffix}")
        set(${list} ${sources} ${selected} PARENT_SCOPE)
    endif()
endfunction()
