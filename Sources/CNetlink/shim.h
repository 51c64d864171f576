#ifndef PEERSYNC_CNETLINK_SHIM_H
#define PEERSYNC_CNETLINK_SHIM_H
// The module map of the C library that comes with Swift leaves these out.
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/timerfd.h>

#endif
