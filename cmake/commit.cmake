# cmake -DOUTPUT=FILE -DSOURCE=FOLDER -P commit.cmake
# Writes TSL_COMMIT: what git calls the source, with -dirty where it has changes that are not in a
# commit; without git's folder what COMMIT in the environment says; NULL where that says nothing.

set(commit "$ENV{COMMIT}")
if(EXISTS "${SOURCE}/.git")
    execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY "${SOURCE}"
        OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
        set(commit "${found}")
    endif()
endif()
if(commit MATCHES "^[A-Za-z0-9._/-]+$")
    set(commit "\"${commit}\"")
else()
    set(commit NULL)
endif()
set(text "/* Written by cmake/commit.cmake. */
#ifndef TSL_CLI_COMMIT_H
#define TSL_CLI_COMMIT_H

#define TSL_COMMIT ${commit}

#endif
")
set(before "")
if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" before)
endif()
if(NOT before STREQUAL text)
    file(WRITE "${OUTPUT}" "${text}")
endif()
