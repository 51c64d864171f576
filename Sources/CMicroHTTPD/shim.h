#ifndef PEERSYNC_CMICROHTTPD_SHIM_H
#define PEERSYNC_CMICROHTTPD_SHIM_H
#include <microhttpd.h>
#endif
