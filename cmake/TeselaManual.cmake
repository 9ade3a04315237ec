# Completion for bash and zsh, and manual pages: all of it made by the command from its own tables of options.

if(TSL_SANITIZE OR TSL_FUZZ) # which nobody installs
    return()
endif()
if(CMAKE_CROSSCOMPILING) # the command does not run here
    message(STATUS "built for another machine: without completion for shells and without manual pages")
    return()
endif()

set(bash_completion "${PROJECT_BINARY_DIR}/share/bash-completion/completions/tesela")
set(zsh_completion "${PROJECT_BINARY_DIR}/share/zsh/site-functions/_tesela")
foreach(shell IN ITEMS bash zsh)
    cmake_path(GET ${shell}_completion PARENT_PATH folder)
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(OUTPUT "${${shell}_completion}" DEPENDS tesela
        COMMAND "$<TARGET_FILE:tesela>" completion ${shell} > "${${shell}_completion}" VERBATIM)
endforeach()
set(made "${bash_completion}" "${zsh_completion}")
install(FILES "${bash_completion}" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${zsh_completion}" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")

find_program(HELP2MAN help2man)
mark_as_advanced(HELP2MAN)
if(HELP2MAN)
    set(manual "${PROJECT_BINARY_DIR}/share/man/man1")
    add_custom_command(OUTPUT "${manual}/tesela.1" DEPENDS tesela cmake/manual.cmake
        COMMAND "${CMAKE_COMMAND}" "-DTESELA=$<TARGET_FILE:tesela>" "-DHELP2MAN=${HELP2MAN}"
            "-DOUTPUT=${manual}" "-DVERSION=${PROJECT_VERSION}" "-DSUMMARY=${PROJECT_DESCRIPTION}"
            -P "${PROJECT_SOURCE_DIR}/cmake/manual.cmake" VERBATIM)
    list(APPEND made "${manual}/tesela.1")
    install(DIRECTORY "${manual}" DESTINATION "${CMAKE_INSTALL_MANDIR}" FILES_MATCHING PATTERN "*.1")
else()
    message(STATUS "help2man was not found: built without manual pages (Debian and Ubuntu: apt install help2man)")
endif()
add_custom_target(tesela_manual ALL DEPENDS ${made})
