/* The compiled patches, as embed.cmake puts them into the library. */
#ifndef BS_CAPTURE_PATCHES_IMAGE_H
#define BS_CAPTURE_PATCHES_IMAGE_H

extern const unsigned char bs_patches_image[];

#endif
