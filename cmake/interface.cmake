# cmake -DOUTPUT=FILE -DVERSION=TEXT -DHEADERS=LIST -P interface.cmake
# Writes TSL_INTERFACE: the version and a digest of the headers.

set(digests "")
foreach(header IN LISTS HEADERS)
    file(SHA256 "${header}" digest)
    string(APPEND digests "${digest}\n")
endforeach()
string(SHA256 digest "${digests}")
string(SUBSTRING "${digest}" 0 12 digest)
file(WRITE "${OUTPUT}" "/* Written by cmake/interface.cmake. */
#ifndef TSL_INTERFACE_H
#define TSL_INTERFACE_H

#define TSL_INTERFACE \"${VERSION}-${digest}\"

#endif
")
