/* Model files: where a name leads, and what a file holds. */
#ifndef BS_MODEL_FIND_H
#define BS_MODEL_FIND_H

#include "bankshot.h"
#include "buffer.h"

/* The path of a model: name itself if it has a '/' or ends in .yaml (from folder unless absolute),
 * else NAME.yaml in folder or in the first of folders that has one. folder may be NULL. NULL if
 * there is none; the caller frees it. */
char *bs_model_find(const char *name, const char *folder, const char *const *folders);

/* "there is no model 'NAME'", with what there is. The caller frees it. */
char *bs_model_not_found(const char *name, const char *folder, const char *const *folders);

/* The folder that a file lies in, ending in '/'; "" for none. The caller frees it. */
char *bs_model_folder(const char *path);

/* The name of a file without folder and .yaml. The caller frees it. */
char *bs_model_stem(const char *path);

/* Whether two paths lead to one file. */
bool bs_model_same_file(const char *a, const char *b);

/* Reads a file of at most limit bytes (one more is read of a larger one). What went wrong, or NULL;
 * *status is then BS_BAD_MODEL, or BS_INTERNAL where it is no fault of the file. */
const char *bs_model_file(const char *path, size_t limit, struct bs_buffer *out,
                          enum bs_status *status);

#endif
