#ifndef PEERSYNC_CEPOLL_SHIM_H
#define PEERSYNC_CEPOLL_SHIM_H
// The module map of the C library that comes with Swift leaves them out.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#endif
