#ifndef PEERSYNC_CMICROHTTPD_SHIM_H
#define PEERSYNC_CMICROHTTPD_SHIM_H
#include <microhttpd.h>

/* Swift does not import functions with a variable number of arguments. */

/* The connection's socket. */
static inline MHD_socket peersync_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? MHD_INVALID_SOCKET : info->connect_fd;
}

/* How long the connection may be idle, in seconds; 0: for ever. */
static inline void peersync_mhd_set_timeout(struct MHD_Connection *connection, unsigned int seconds) {
  (void)MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

#endif
