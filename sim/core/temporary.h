/* Where temporary files go. */
#ifndef BS_TEMPORARY_H
#define BS_TEMPORARY_H

/* The folder that $TMPDIR names, or else the system's. */
const char *bs_temporary_folder(void);

/* A name in it for mkstemp or mkdtemp, which the caller frees. NULL when memory is out. */
char *bs_temporary_name(void);

#endif
