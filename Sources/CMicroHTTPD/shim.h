#ifndef PEERSYNC_CMICROHTTPD_SHIM_H
#define PEERSYNC_CMICROHTTPD_SHIM_H
#include <microhttpd.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>

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

/* How many bytes have ever come on a TCP connection, its end counted as one; 0 when the system does not say. */
static inline uint64_t peersync_bytes_received(int descriptor) {
  /* TCP_INFO, and where tcpi_bytes_received stands in struct tcp_info of <linux/tcp.h>. The header of that name which Swift
     imports from the C library is older, and two must not be seen at once. */
  enum { option = 11, offset = 128 };
  unsigned char info[256];
  socklen_t length = sizeof info;
  uint64_t count;
  if (getsockopt(descriptor, IPPROTO_TCP, option, info, &length) != 0 || length < offset + sizeof count) return 0;
  memcpy(&count, info + offset, sizeof count);
  return count;
}

#endif
