#ifndef PEERSYNC_CQRENCODE_SHIM_H
#define PEERSYNC_CQRENCODE_SHIM_H
#include <qrencode.h>
#endif
