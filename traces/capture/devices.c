/* Asking the CUDA driver for the GPUs, and telling of them. */
#define _XOPEN_SOURCE 700 /* setenv */
#include "devices.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char variable[] = "BANKSHOT_CAPTURE_DEVICES";

/* Attributes of devices, as the driver numbers them. */
enum { MAJOR = 75, MINOR = 76, RESERVED_SHARED_MEMORY = 111 };

/* The driver's functions return 0 when all is well. */
union driver_function {
    void *object;
    int (*init)(unsigned flags);
    int (*get_count)(int *count);
    int (*get)(int *device, int number);
    int (*get_name)(char *name, int size, int device);
    int (*get_attribute)(int *value, int attribute, int device);
};

struct driver {
    union driver_function init, get_count, get, get_name, get_attribute;
};

static bool find_driver(struct driver *driver)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return false;
    driver->init.object = dlsym(library, "cuInit");
    driver->get_count.object = dlsym(library, "cuDeviceGetCount");
    driver->get.object = dlsym(library, "cuDeviceGet");
    driver->get_name.object = dlsym(library, "cuDeviceGetName");
    driver->get_attribute.object = dlsym(library, "cuDeviceGetAttribute");
    return driver->init.object && driver->get_count.object && driver->get.object &&
           driver->get_name.object && driver->get_attribute.object;
}

static void tell(const struct driver *driver, int number, struct bs_buffer *text)
{
    char name[BS_DEVICE_NAME];
    int device, major, minor, reserved;
    if (driver->get.get(&device, number) != 0 ||
        driver->get_name.get_name(name, sizeof name, device) != 0 ||
        driver->get_attribute.get_attribute(&major, MAJOR, device) != 0 ||
        driver->get_attribute.get_attribute(&minor, MINOR, device) != 0 ||
        driver->get_attribute.get_attribute(&reserved, RESERVED_SHARED_MEMORY, device) != 0)
        bs_buffer_text(text, "\n");
    else
        bs_buffer_printf(text, "%d.%d %d %s\n", major, minor, reserved, name);
}

bool bs_devices_to_environment(void)
{
    struct driver driver;
    struct bs_buffer text = {0};
    int count;
    if (!find_driver(&driver) || driver.init.init(0) != 0 ||
        driver.get_count.get_count(&count) != 0)
        return true;
    for (int i = 0; i < count; i++)
        tell(&driver, i, &text);
    char *value = bs_buffer_take(&text);
    const bool told = value && setenv(variable, value, 1) == 0;
    free(value);
    return told;
}

/* A number up to a character that ends it; moves on behind that. */
static bool take_number(const char **text, char stop, uint32_t *number)
{
    const char *end = strchr(*text, stop);
    uint64_t value;
    if (!end || !bs_number_parse(*text, (size_t)(end - *text), UINT32_MAX, &value))
        return false;
    *number = (uint32_t)value;
    *text = end + 1;
    return true;
}

void bs_device_of_environment(int number, struct bs_item_device *device, char name[BS_DEVICE_NAME])
{
    const char *text = getenv(variable);
    struct bs_item_device told = {.name = name};
    *device = (struct bs_item_device){.name = ""};
    for (; text && number > 0; number--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!text || !take_number(&text, '.', &told.major) || !take_number(&text, ' ', &told.minor) ||
        !take_number(&text, ' ', &told.reserved))
        return;
    snprintf(name, BS_DEVICE_NAME, "%.*s", (int)strcspn(text, "\n"), text);
    *device = told;
}
