#ifndef PEERSYNC_CSQLITE_SHIM_H
#define PEERSYNC_CSQLITE_SHIM_H
#include <sqlite3.h>

// Swift sees no variadic functions: this stands in for the one that is needed.
static inline int peersync_sqlite3_keep_log_on_close(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
