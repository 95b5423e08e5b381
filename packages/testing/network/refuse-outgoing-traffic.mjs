import { isIPv4, Socket } from 'node:net';

/*
 * Preloaded into every Node process of a test run: refuses connections to other hosts than this one. A refusal is an
 * error of the connection, as with a firewall, and a line on stderr. Node's HTTP clients, `fetch`, TLS and the clients
 * of Postgres and NATS all open their connections with `Socket.connect`.
 */
const LOCAL_NAMES = [undefined, null, '', 'localhost', '::1', '0.0.0.0', '::'];

/** Returns the host of a connection to another machine; undefined for this machine and for Unix sockets. */
function remoteHostOf([first, second]) {
  // Node itself passes its normalized arguments as one list.
  if (Array.isArray(first)) return remoteHostOf(first);
  const { path, host } = typeof first === 'object' && first !== null ? first : { host: second };
  if (path || (typeof first === 'string' && Number.isNaN(Number(first)))) return undefined;
  if (LOCAL_NAMES.includes(host) || (isIPv4(host) && host.startsWith('127.'))) return undefined;
  return host;
}

const connect = Socket.prototype.connect;
Socket.prototype.connect = function (...args) {
  const host = remoteHostOf(args);
  if (host === undefined) return connect.apply(this, args);
  process.stderr.write(`Refused outgoing traffic to ${host}\n`);
  const error = Object.assign(new Error(`connect ENETUNREACH ${host}`), { code: 'ENETUNREACH', syscall: 'connect' });
  this.connecting = true;
  process.nextTick(() => this.destroy(error));
  return this;
};
