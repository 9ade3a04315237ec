# cmake -DOUTPUT=FILE.c -DFILES=A;B -P embed.cmake: write the basis sets' texts as arrays of C, each by the
# name of its file without ending, "_st_" in it being a star.
set(text "/* The basis sets of data/basis, written by cmake/embed.cmake. */\n")
string(APPEND text "#include \"solvers/scf/basis/set.h\"\n\n")
set(rows "")
set(index 0)
foreach(file IN LISTS FILES)
    cmake_path(GET file STEM LAST_ONLY name)
    string(REPLACE "_st_" "*" name "${name}")
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f])"
        "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND text "static const char text_${index}[] = {\n${bytes}0};\n\n")
    string(APPEND rows "    {\"${name}\", text_${index}, sizeof text_${index} - 1},\n")
    math(EXPR index "${index} + 1")
endforeach()
string(APPEND text "const tsl_scf_shipped_set tsl_scf_shipped_sets[] = {\n${rows}    {0, 0, 0}};\n")
file(WRITE "${OUTPUT}" "${text}")
