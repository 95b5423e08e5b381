import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4, isIPv6, type Socket } from 'node:net';
import { parseList } from '../../config/variables/text-values.js';
import { ipBlock } from './ip-block.js';

/** A client's connection, from its acceptance to its close. */
export interface ClientConnection {
  readonly socket: Socket;
  readonly address: string;
  /** When a request or a response last began or ended, milliseconds on the monotonic clock. */
  activeAt: number;
  /** The request that is being received or processed; absent when the response is complete. */
  request?: IncomingMessage;
  /**
   * Bytes of responses that the operating system has not accepted for sending yet, because the client does not read.
   */
  unreadBytes: number;
}

export interface ConnectionLimits {
  /** Maximum number of connections per address. */
  perAddress: number;
  /** Maximum number of connections in total. */
  total: number;
  /** Maximum sum of `unreadBytes`. */
  unreadBytes: number;
}

/**
 * When the total is reached, this fraction of the connections of the busiest address is closed together. The search for
 * the busiest address, which visits all addresses, is therefore rare.
 */
const EVICTED_FRACTION = 1 / 16;

/** For each socket in a table, the function that removes the limit per address from the connection. */
const releaseFunctions = new WeakMap<Socket, () => void>();

/**
 * Removes the limit per address from a connection whose client has signed in; other limits then apply to the client.
 * The connection no longer counts, and is no longer closed to make room for others. A socket that is in no table is
 * ignored.
 */
export function releaseFromAddressLimit(socket: Socket): void {
  releaseFunctions.get(socket)?.();
}

/**
 * The connections of one server, with limits on their number and on the bytes that wait for clients that do not read.
 * At a limit, the address with the largest share loses the connection that has been inactive for the longest time.
 * Connections whose request is being processed are never closed.
 */
export class ConnectionTable {
  private readonly connections = new Map<Socket, ClientConnection>();
  private readonly connectionsByAddress = new Map<string, Set<ClientConnection>>();
  /** The connections with unread bytes. */
  private readonly unreadConnections = new Set<ClientConnection>();
  private unreadBytes = 0;

  /**
   * @param trustedProxies - addresses that the limit per address does not apply to
   * @param factorOf - returns by how much the limit of an address is higher
   */
  constructor(
    private readonly limits: ConnectionLimits,
    private readonly trustedProxies: BlockList,
    private readonly factorOf: (address: string) => number = () => 1,
  ) {}

  get isEmpty(): boolean {
    return this.connections.size === 0;
  }

  /** Adds an accepted connection, or closes it when a limit is reached and no other connection can be closed. */
  add(socket: Socket): void {
    const address = ipBlock(socket.remoteAddress ?? '');
    const siblings = this.connectionsByAddress.get(address) ?? new Set();
    const maxSiblings = this.limits.perAddress * this.factorOf(address);
    if (siblings.size >= maxSiblings && !this.isTrusted(socket) && !this.evict(siblings, 1)) {
      socket.destroy();
      return;
    }
    if (this.connections.size >= this.limits.total && !this.evictFromBusiestAddress()) {
      socket.destroy();
      return;
    }
    const connection: ClientConnection = { socket, address, activeAt: performance.now(), unreadBytes: 0 };
    this.connections.set(socket, connection);
    this.connectionsByAddress.set(address, (this.connectionsByAddress.get(address) ?? siblings).add(connection));
    releaseFunctions.set(socket, () => this.leaveAddress(connection));
    socket.once('close', () => this.remove(connection));
  }

  /** Returns the open connection of a socket; undefined if the table has refused or closed it. */
  find(socket: Socket): ClientConnection | undefined {
    return this.connections.get(socket);
  }

  /**
   * Updates the unread bytes of a connection. Closes connections while the sum of all unread bytes exceeds the limit.
   */
  countUnread(connection: ClientConnection): void {
    const bytes = connection.socket.destroyed ? 0 : connection.socket.writableLength;
    this.unreadBytes += bytes - connection.unreadBytes;
    connection.unreadBytes = bytes;
    if (bytes > 0) this.unreadConnections.add(connection);
    else this.unreadConnections.delete(connection);
    while (this.unreadBytes > this.limits.unreadBytes) this.close(longestInactive(this.slowestReaders()));
  }

  /** Closes a connection at once, without a response. */
  close(connection: ClientConnection | undefined): void {
    if (!connection) return;
    this.remove(connection);
    connection.socket.destroy();
  }

  private remove(connection: ClientConnection): void {
    this.connections.delete(connection.socket);
    this.unreadBytes -= connection.unreadBytes;
    connection.unreadBytes = 0;
    this.unreadConnections.delete(connection);
    this.leaveAddress(connection);
  }

  private leaveAddress(connection: ClientConnection): void {
    const siblings = this.connectionsByAddress.get(connection.address);
    siblings?.delete(connection);
    if (siblings?.size === 0) this.connectionsByAddress.delete(connection.address);
  }

  private evictFromBusiestAddress(): boolean {
    const [first = new Set<ClientConnection>(), ...others] = this.connectionsByAddress.values();
    const busiest = others.reduce((one, other) => (other.size > one.size ? other : one), first);
    return this.evict(busiest, Math.ceil(busiest.size * EVICTED_FRACTION));
  }

  /** Closes up to `count` of the connections, the longest inactive first. @returns whether it closed any */
  private evict(connections: ReadonlySet<ClientConnection>, count: number): boolean {
    const candidates = [...connections].filter(({ request }) => !request?.complete);
    if (count > 1) candidates.sort((one, other) => one.activeAt - other.activeAt);
    const evicted = count > 1 ? candidates.slice(0, count) : [longestInactive(candidates)];
    for (const connection of evicted) this.close(connection);
    return candidates.length > 0;
  }

  /** Returns the connections with unread bytes of the address that has the most unread bytes. */
  private slowestReaders(): ClientConnection[] {
    const bytesByAddress = new Map<string, number>();
    for (const { address, unreadBytes } of this.unreadConnections)
      bytesByAddress.set(address, (bytesByAddress.get(address) ?? 0) + unreadBytes);
    const [slowest] = [...bytesByAddress].reduce((one, other) => (other[1] > one[1] ? other : one));
    return [...this.unreadConnections].filter(({ address }) => address === slowest);
  }

  private isTrusted({ remoteAddress = '' }: Socket): boolean {
    const plain = withoutMapping(remoteAddress);
    if (isIPv4(plain)) return this.trustedProxies.check(plain);
    return isIPv6(plain) && this.trustedProxies.check(plain, 'ipv6');
  }
}

/** Parses comma-separated IP addresses and networks, such as `10.0.0.0/8`. */
export function parseNetworks(list?: string): BlockList {
  const networks = new BlockList();
  for (const network of parseList(list)) {
    const [address = '', prefix] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix !== undefined) networks.addSubnet(address, Number(prefix), family);
    else networks.addAddress(address, family);
  }
  return networks;
}

function longestInactive(connections: readonly ClientConnection[]): ClientConnection | undefined {
  const [first, ...others] = connections;
  return first && others.reduce((one, other) => (other.activeAt < one.activeAt ? other : one), first);
}

/** Returns the IPv4 address of an IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2); other addresses are unchanged. */
function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && isIPv4(address.slice(7)) ? address.slice(7) : address;
}
