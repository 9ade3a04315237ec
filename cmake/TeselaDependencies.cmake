# Libraries tesela is built from. TSL_DEPENDENCIES lists what to link; TSL_HAVE_* and
# TSL_PKGCONFIG_LIBS (for tesela.pc) say what was found.

find_package(PkgConfig REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)

pkg_check_modules(FFTW3 IMPORTED_TARGET fftw3)
pkg_check_modules(FFTW3F IMPORTED_TARGET fftw3f)
if(NOT FFTW3_FOUND OR NOT FFTW3F_FOUND)
    message(FATAL_ERROR "FFTW 3 is needed in double and single precision (fftw3, fftw3f); "
        "on Debian and Ubuntu: apt install libfftw3-dev, or run tools/setup")
endif()
set(TSL_DEPENDENCIES PkgConfig::FFTW3 PkgConfig::FFTW3F OpenMP::OpenMP_C m ${CMAKE_DL_LIBS})
set(TSL_PKGCONFIG_LIBS ${FFTW3F_LDFLAGS} ${FFTW3_LDFLAGS})
set(TSL_PKGCONFIG_MODULES FFTW3=fftw3 FFTW3F=fftw3f)

# tesela_optional(NAME MODULE PURPOSE PACKAGE): honours the option TSL_NAME, sets TSL_HAVE_NAME.
macro(tesela_optional name module purpose package)
    set(TSL_HAVE_${name} FALSE)
    if(TSL_${name})
        pkg_check_modules(${name} IMPORTED_TARGET ${module})
        if(${name}_FOUND)
            set(TSL_HAVE_${name} TRUE)
            list(APPEND TSL_DEPENDENCIES PkgConfig::${name})
            list(APPEND TSL_PKGCONFIG_LIBS ${${name}_LDFLAGS})
            list(APPEND TSL_PKGCONFIG_MODULES ${name}=${module})
        elseif("${TSL_${name}}" STREQUAL "AUTO")
            message(STATUS "${module} was not found: built without ${purpose} "
                "(Debian and Ubuntu: apt install ${package})")
        else()
            message(FATAL_ERROR "TSL_${name} is ON, but ${module} was not found; "
                "on Debian and Ubuntu: apt install ${package}")
        endif()
    endif()
endmacro()

tesela_optional(CAIRO cairo-svg "figures" libcairo2-dev)
tesela_optional(HDF5 hdf5 "HDF5 files" libhdf5-dev)
tesela_optional(ZLIB zlib "gzipped input" zlib1g-dev)
tesela_optional(SUPERLU superlu "direct solutions of sparse systems" libsuperlu-dev)

# Dense matrices: OpenBLAS, else a LAPACK for eigenvectors and factors.
set(TSL_HAVE_OPENBLAS FALSE)
if(TSL_LAPACK)
    pkg_check_modules(OPENBLAS QUIET openblas)
    set(TSL_HAVE_OPENBLAS ${OPENBLAS_FOUND})
    set(lapack_module lapack)
    if(OPENBLAS_FOUND)
        set(lapack_module openblas)
    endif()
endif()
tesela_optional(LAPACK "${lapack_module}" "a fast library of dense matrices" libopenblas-dev)

list(APPEND TSL_PKGCONFIG_LIBS ${OpenMP_C_FLAGS} -lm)
if(CMAKE_DL_LIBS)
    list(APPEND TSL_PKGCONFIG_LIBS -l${CMAKE_DL_LIBS})
endif()
list(REMOVE_DUPLICATES TSL_PKGCONFIG_LIBS)
list(JOIN TSL_PKGCONFIG_LIBS " " TSL_PKGCONFIG_LIBS)
