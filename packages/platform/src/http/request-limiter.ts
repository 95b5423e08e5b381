import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { rateLimitedError } from '@family-watch/domain/kernel/contracts/service-error';
import { Environment } from '../config/environment.js';
import { continueAsCaller } from '../concurrency/work-priority.js';
import { addressFactorOf, type AddressFactor } from './server/carrier-networks.js';
import { enclosingNetworks } from './server/ip-block.js';

/**
 * Kinds of limited requests: `caller` for requests of authenticated callers, `address` for requests without a token
 * (counted per IP address and operation), `file` for reads and uploads of files, `callback` for requests of external
 * providers (counted like `address`), `site` for files of the console and the documents, `proof` for requests that prove
 * a key or a token (counted like `address`, genuine and wrong ones together, because only the work of the check shows
 * which they are), `sign-in` for sign-ins of a watch and token refreshes of a person, after the proof was found genuine.
 */
type RequestKind = CallerKind | AddressKind;
type CallerKind = 'caller' | 'file' | 'sign-in';
type AddressKind = 'address' | 'callback' | 'site' | 'proof';

const WINDOW_MS = 60_000;

/**
 * Maximum number of windows per level of addresses. All levels of the four kinds together take less than 20 MB
 * when they are full.
 */
const MAX_ADDRESS_WINDOWS = 6_000;

/**
 * By how much the limit of one address is multiplied for the networks of `enclosingNetworks`, because honest clients share a
 * network: the address, the /24 of IPv4 or the /48 of IPv6, the /16 or the /32, and all other addresses together.
 */
const NETWORK_FACTORS = [1, 4, 16, 64] as const;

/** Requests of one key in one minute. */
interface Window {
  count: number;
  readonly endsAt: number;
}

/**
 * Counts requests per minute. The minute of a key begins with its first request. All minutes are equally long, so the
 * oldest ones, which end first, are the first entries of the map.
 */
class WindowCounter {
  private readonly windows = new Map<string, Window>();

  constructor(private readonly maxWindows = Number.POSITIVE_INFINITY) {}

  /** Counts a request. Returns undefined if the key has no window and the maximum number of windows is reached. */
  count(key: string): Window | undefined {
    const now = performance.now();
    const found = this.windows.get(key);
    if (found && found.endsAt > now) {
      found.count += 1;
      return found;
    }
    this.removeEndedCounts(now);
    if (this.windows.size >= this.maxWindows) return undefined;
    const created = { count: 1, endsAt: now + WINDOW_MS };
    this.windows.set(key, created);
    return created;
  }

  private removeEndedCounts(now: number): void {
    for (const [key, { endsAt }] of this.windows) {
      if (endsAt > now) return;
      this.windows.delete(key);
    }
  }
}

/**
 * Limits requests per minute. Each process counts separately, because the limits protect the process. Memory is bounded:
 * while very many addresses send requests, an address that has none in the last minute is counted together with its
 * network, and addresses that have keep their own count. Callers are not bounded, because each has signed in.
 */
@Injectable()
export class RequestLimiter {
  private readonly limits: Readonly<Record<RequestKind, number>>;
  private readonly factorOf: AddressFactor;
  private readonly callers = { caller: new WindowCounter(), file: new WindowCounter(), 'sign-in': new WindowCounter() };
  private readonly addresses = {
    address: createAddressCounters(),
    callback: createAddressCounters(),
    site: createAddressCounters(),
    proof: createAddressCounters(),
  };

  constructor(environment: Environment) {
    this.factorOf = addressFactorOf(environment);
    this.limits = {
      caller: environment.RATE_LIMIT_CALLER_REQUESTS,
      address: environment.RATE_LIMIT_REQUESTS,
      file: environment.RATE_LIMIT_FILE_REQUESTS,
      callback: environment.RATE_LIMIT_CALLBACKS,
      site: environment.RATE_LIMIT_SITE_REQUESTS,
      proof: environment.RATE_LIMIT_PROOFS,
      'sign-in': environment.RATE_LIMIT_SIGN_IN,
    };
  }

  /** Counts a request of an authenticated caller. @throws ServiceError RATE_LIMITED with the seconds to wait */
  consume(kind: CallerKind, principal: PrincipalKey, reply?: FastifyReply): void {
    const window = this.callers[kind].count(principal);
    if (window) assertWithin(`requests.${kind}`, this.limits[kind], window, reply);
  }

  /**
   * Counts a request of an IP address for one operation, so that many requests for one operation do not block the other
   * operations for the clients behind that address.
   *
   * @throws ServiceError RATE_LIMITED with the seconds to wait
   */
  consumeAddress(kind: AddressKind, operation: string, ip: string, reply?: FastifyReply): void {
    const networks = enclosingNetworks(ip);
    for (const { counter, factor } of this.addresses[kind]) {
      const window = counter.count(`${operation} ${String(networks.next().value)}`);
      if (window)
        return assertWithin(`requests.${kind}`, this.limits[kind] * factor * this.factorOf(ip), window, reply);
    }
  }

  /**
   * Counts a request with the URL of a file: for the principal for whom the service created the URL, or for the IP
   * address if the URL is not valid. Requests with guessed URLs therefore never block clients with valid URLs behind
   * the same address.
   *
   * @param principal - undefined if the URL is not valid
   * @throws ServiceError RATE_LIMITED with the seconds to wait
   */
  consumeFileLink(principal: PrincipalKey | undefined, ip: string): void {
    if (principal === undefined) return this.consumeAddress('address', 'file-link', ip);
    this.consume('file', principal);
    // A valid URL authenticates the principal for whom the service created it.
    continueAsCaller(principal);
  }
}

/** Returns a counter for each level of `enclosingNetworks`. The last level has one window per operation. */
function createAddressCounters(): { counter: WindowCounter; factor: number }[] {
  return NETWORK_FACTORS.map((factor, level) => ({
    factor,
    counter: new WindowCounter(level === NETWORK_FACTORS.length - 1 ? Number.POSITIVE_INFINITY : MAX_ADDRESS_WINDOWS),
  }));
}

/** @throws ServiceError RATE_LIMITED with the seconds to wait */
function assertWithin(name: string, limit: number, { count, endsAt }: Window, reply: FastifyReply | undefined): void {
  if (count > limit) {
    const retryAfter = Math.max(1, Math.ceil((endsAt - performance.now()) / 1_000));
    throw rateLimitedError(name, retryAfter);
  }
  void reply?.header('x-ratelimit-remaining', limit - count);
}
