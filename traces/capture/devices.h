/*
 * Which GPUs there are. In the captured program nobody may ask the driver from within a call of the
 * Sanitizer API; so the launcher asks before it starts the program, and tells by a variable of the
 * environment: BANKSHOT_CAPTURE_DEVICES=9.0 1024 NVIDIA H200, a device a line.
 */
#ifndef BS_CAPTURE_DEVICES_H
#define BS_CAPTURE_DEVICES_H

#include "items.h"

enum { BS_DEVICE_NAME = 128 };

/* Asks the driver. Without one, or where it will not tell, the variable stays as it is. False when
 * memory is out. */
bool bs_devices_to_environment(void);

/* What was told of a device, by its number; all 0, and no name, if nothing was. */
void bs_device_of_environment(int number, struct bs_item_device *device, char name[BS_DEVICE_NAME]);

#endif
