# Headers, both libraries, the command, and the files by which pkg-config and CMake find them.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tesela")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tesela" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.h")
install(TARGETS tesela_shared EXPORT tesela-targets)
install(TARGETS tesela_static EXPORT tesela-static-targets)
install(TARGETS tesela)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
# Of the basis sets in the library: the notice of where they are from, and what to cite.
install(FILES "${PROJECT_SOURCE_DIR}/data/basis/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
    RENAME LICENSE.basis_set_exchange)
install(FILES "${PROJECT_SOURCE_DIR}/data/basis/references.txt" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
    RENAME basis_set_references.txt)

# Two sets: whoever links the shared library needs none of its dependencies' development files.
foreach(set IN ITEMS tesela-targets tesela-static-targets)
    install(EXPORT ${set} NAMESPACE tesela:: DESTINATION "${package_dir}")
endforeach()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/tesela-config.cmake.in"
    "${PROJECT_BINARY_DIR}/tesela-config.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tesela-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tesela-config.cmake"
    "${PROJECT_BINARY_DIR}/tesela-config-version.cmake" DESTINATION "${package_dir}")

# ${pcfiledir} keeps the installed tree movable, where the library folder is below the prefix.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(TSL_PKGCONFIG_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
    file(RELATIVE_PATH prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" prefix "${prefix}")
    set(TSL_PKGCONFIG_PREFIX "\${pcfiledir}/${prefix}")
endif()
foreach(dir IN ITEMS LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
        set(TSL_PKGCONFIG_${dir} "${CMAKE_INSTALL_${dir}}")
    else()
        set(TSL_PKGCONFIG_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
    endif()
endforeach()
configure_file("${PROJECT_SOURCE_DIR}/cmake/tesela.pc.in" "${PROJECT_BINARY_DIR}/tesela.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tesela.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
