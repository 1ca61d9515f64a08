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

/* Watches a descriptor for input. Calling a member of the poll API from Swift would need the structure's layout. */
static inline AvahiWatch *parlor_avahi_watch(const AvahiPoll *api, int fd, AvahiWatchCallback callback, void *context) {
    return api->watch_new(api, fd, AVAHI_WATCH_IN, callback, context);
}

static inline void parlor_avahi_unwatch(const AvahiPoll *api, AvahiWatch *watch) {
    api->watch_free(watch);
}
