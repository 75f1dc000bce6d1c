/* Pictures and animations that are saved while the show goes on, under names of their own. */
#ifndef BS_FILES_H
#define BS_FILES_H

#include "show.h"

enum { BS_FILE_NAME = 40 };

/* Saves what is shown as "bankshot-N.png", or the instruction as "bankshot-N.gif", in the current
 * folder, with the first number that no file has. The name is written to path. The show is then as
 * it was. False after filling error. */
bool bs_files_save(struct bs_show *show, bool film, char path[BS_FILE_NAME],
                   struct bs_error *error);

#endif
