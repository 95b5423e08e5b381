#!/usr/bin/env bash
#
# Runs `npm test` in a network namespace without a route to other hosts, so that the kernel refuses all traffic to
# other hosts, of Node and of every other program (docs/testing.md). Arguments are passed to `npm test`. Starts a NATS
# server in the namespace if one is installed. Needs Linux, and user namespaces unless it runs as root.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

if [ -z "${OFFLINE_NAMESPACE:-}" ]; then
  npx turbo run build --output-logs=errors-only
  namespaces=(--net)
  if [ "$(id -u)" -ne 0 ]; then namespaces+=(--user --map-current-user --keep-caps); fi
  OFFLINE_NAMESPACE=yes exec unshare "${namespaces[@]}" "$0" "$@"
fi

ip link set lo up
# Chromium connects to no push service, not even on the loopback interface, while no other interface has an address. No
# route leads through this interface.
ip link add outside type veth peer name outside-peer
ip address add 192.0.2.1/32 dev outside
ip link set outside up
ip link set outside-peer up
if [ -z "${TEST_NATS_URL:-}" ] && command -v nats-server >/dev/null; then
  store=$(mktemp -d)
  nats-server -js -sd "$store" -a 127.0.0.1 -p 4222 >"$store/log" 2>&1 &
  nats=$!
  trap 'kill "$nats"; wait "$nats" || true; rm -rf "$store"' EXIT
fi
node node_modules/jest/bin/jest.js "$@"
