#!/bin/sh
# The health check of a broker's container. A disk that is full has nats-server turn JetStream off, and nothing turns it on again:
# the check ends such a server, which the container's restart policy starts anew, until there is room. A server that is still
# reading its store says the same, hence the file: it had JetStream since it started. /tmp must be empty at each start (tmpfs).
health=http://127.0.0.1:8222/healthz
if wget -q -O /dev/null "$health?js-enabled-only=true" 2>/tmp/said; then
  touch /tmp/enabled
  exec wget -q -O /dev/null "$health"
fi
[ -e /tmp/enabled ] && grep -q ' 503 ' /tmp/said && kill -TERM 1
exit 1
