#pragma once
#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>
#include <avahi-common/alternative.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/simple-watch.h>
#include <avahi-common/strlst.h>
#include <avahi-common/thread-watch.h>
#include <avahi-common/timeval.h>
#include <avahi-core/core.h>
#include <avahi-core/log.h>
#include <avahi-core/lookup.h>
#include <avahi-core/publish.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

/* Watches a descriptor for input. Calling a member of the poll API from Swift would need the structure's layout. */
static inline AvahiWatch *parlor_avahi_watch(const AvahiPoll *api, int fd, AvahiWatchCallback callback, void *context) {
    return api->watch_new(api, fd, AVAHI_WATCH_IN, callback, context);
}

static inline void parlor_avahi_unwatch(const AvahiPoll *api, AvahiWatch *watch) {
    api->watch_free(watch);
}

static inline void parlor_avahi_drop_log(AvahiLogLevel level, const char *text) {
    (void) level;
    (void) text;
}

/* A responder of this process's own, on the interfaces allowed, or on all for NULL. It publishes nothing by itself:
   the reverse records that go with addresses collide with those of every other process on the machine. Its log would
   go to stderr. The list stays the caller's. */
static inline AvahiServer *parlor_avahi_server(
    const AvahiPoll *api, const char *host, AvahiStringList *allowed, AvahiServerCallback callback, void *context,
    int *error) {
    AvahiServerConfig config;
    AvahiServer *server;
    avahi_set_log_function(parlor_avahi_drop_log);
    avahi_server_config_init(&config);
    avahi_free(config.host_name);
    config.host_name = avahi_strdup(host);
    config.allow_interfaces = avahi_string_list_copy(allowed);
    config.publish_addresses = 0;
    config.publish_hinfo = 0;
    config.publish_workstation = 0;
    config.publish_domain = 0;
    config.enable_wide_area = 0;
    config.disallow_other_stacks = 0;
    server = avahi_server_new(api, &config, callback, context, error);
    avahi_server_config_free(&config);
    return server;
}

/* A socket that is readable when links, addresses or routes of this network namespace changed (rtnetlink(7)); -1 when
   there is none to be had. */
static inline int parlor_network_socket(void) {
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE};
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor >= 0 && bind(descriptor, (struct sockaddr *) &address, sizeof address) < 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}
