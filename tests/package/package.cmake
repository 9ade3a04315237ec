# Installs into a scratch prefix and builds and runs the example against what was installed, each
# way a user may. A sanitizer would have to be linked by the user too, so not in such builds.

if(TSL_SANITIZE)
    return()
endif()

set(prefix "${CMAKE_CURRENT_BINARY_DIR}/package-prefix")
tesela_test(package/install "${CMAKE_COMMAND}" --install "${PROJECT_BINARY_DIR}"
    --prefix "${prefix}")
set_tests_properties(package/install PROPERTIES FIXTURES_SETUP package)
foreach(way IN ITEMS cmake cmake-static pkg-config pkg-config-static)
    tesela_test(package/${way} bash "${CMAKE_CURRENT_LIST_DIR}/consume" ${way} "${prefix}"
        "${CMAKE_INSTALL_LIBDIR}" "${CMAKE_C_COMPILER}" "${CMAKE_COMMAND}" "${CMAKE_GENERATOR}")
    set_tests_properties(package/${way} PROPERTIES FIXTURES_REQUIRED package)
endforeach()
tesela_test(package/manual bash "${CMAKE_CURRENT_LIST_DIR}/manual" "${prefix}/${CMAKE_INSTALL_DATADIR}"
    "${prefix}/${CMAKE_INSTALL_MANDIR}" "${HELP2MAN}")
set_tests_properties(package/manual PROPERTIES FIXTURES_REQUIRED package)
