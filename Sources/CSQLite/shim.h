#ifndef PEERSYNC_CSQLITE_SHIM_H
#define PEERSYNC_CSQLITE_SHIM_H
#include <sqlite3.h>
#endif
