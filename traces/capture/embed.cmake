# Writes the file FROM as an array of bytes in C to the file TO.
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)"
       "\\1\n" bytes "${bytes}")
file(WRITE ${TO} "/* The compiled patches. */
#include \"patches_image.h\"

_Alignas(16) const unsigned char bs_patches_image[] = {
${bytes}
};
")
