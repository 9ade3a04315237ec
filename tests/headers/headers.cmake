# Each public header compiles alone, and twice over, as C11 and as C++17. Once is enough: not again
# in builds with sanitizers.

if(TSL_SANITIZE)
    return()
endif()

include(CheckLanguage)
check_language(CXX)

file(GLOB public_headers RELATIVE "${PROJECT_SOURCE_DIR}/include" CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/include/tesela/*.h")
set(common -fsyntax-only -Wall -Wextra -pedantic -Werror "-I${PROJECT_SOURCE_DIR}/include")
foreach(header IN LISTS public_headers)
    cmake_path(GET header STEM name)
    set(alone "-DTSL_HEADER=<${header}>" "${CMAKE_CURRENT_LIST_DIR}/alone.c")
    tesela_test(headers/${name}.c11
        "${CMAKE_C_COMPILER}" -std=c11 -Wstrict-prototypes ${common} ${alone})
    if(CMAKE_CXX_COMPILER)
        tesela_test(headers/${name}.c++17 "${CMAKE_CXX_COMPILER}" -std=c++17 ${common} -x c++ ${alone})
    endif()
endforeach()
