import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Environment } from '../config/environment.js';
import { RequestLimiter } from './request-limiter.js';

const OPERATION = 'account/sign-in';
const MILLION = 1_000_000;
/** Number of addresses after which no level of networks counts a new one. */
const FULL = 40_000;

const limiterOf = (RATE_LIMIT_REQUESTS: number, settings: Partial<Environment> = {}) =>
  new RequestLimiter(Object.assign(new Environment(), { RATE_LIMIT_REQUESTS, ...settings }));

/** Returns the address number `index` of a network of 2^24 IPv4 addresses. */
const ipv4 = (index: number) => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;

/** Sends a request. @returns 'ok' or the reason of the rejection */
function send(limiter: RequestLimiter, ip: string): string {
  try {
    limiter.consumeAddress('address', OPERATION, ip);
    return 'ok';
  } catch (error) {
    return (error as { reason: string }).reason;
  }
}

function flood(limiter: RequestLimiter): void {
  for (let index = 0; index < 20_000; index += 1) send(limiter, ipv4(index));
}

/** Returns the bytes of the heap after a garbage collection. */
function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

/** @returns the names of the limits that the requests have used up, or 'ok' */
function limitsOf(count: number, request: () => void): string[] {
  return Array.from({ length: count }, () => {
    try {
      request();
      return 'ok';
    } catch (error) {
      return (error as ServiceError).details?.[0]?.rule ?? '';
    }
  });
}

test('addresses of the networks in CARRIER_NETWORKS have higher limits', () => {
  const limiter = limiterOf(2, { CARRIER_NETWORKS: '100.64.0.0/10=2,2001:db8::/32=3' });
  const send = (ip: string) => () => limiter.consumeAddress('address', OPERATION, ip);
  const used = 'requests.address';
  expect(limitsOf(3, send('192.0.2.1'))).toEqual(['ok', 'ok', used]);
  expect(limitsOf(5, send('100.100.0.1'))).toEqual(['ok', 'ok', 'ok', 'ok', used]);
  expect(limitsOf(7, send('2001:db8:1::1'))).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok', used]);
});

test.each(['10.0.0.0/33=2', '999.0.0.0/8=2'])('the invalid CARRIER_NETWORKS %s prevents the start', (networks) => {
  expect(() => limiterOf(1, { CARRIER_NETWORKS: networks })).toThrow();
});

test('requests with a proof have a limit of their own per address', () => {
  const limiter = limiterOf(2, { RATE_LIMIT_PROOFS: 4 });
  const prove = (ip: string) => () => limiter.consumeAddress('proof', OPERATION, ip);
  expect(limitsOf(5, prove('192.0.2.1'))).toEqual(['ok', 'ok', 'ok', 'ok', 'requests.proof']);
  expect(limitsOf(1, prove('192.0.2.3'))).toEqual(['ok']);
});

describe('A43 requests from addresses without end', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  // Successive addresses are in different networks of every level.
  test.each([
    ['IPv4 addresses', (index: number) => `${index & 255}.${(index >> 8) & 255}.${index >> 16}.1`],
    ['IPv6 networks', (index: number) => `${(index & 0xffff).toString(16)}:db8:${index >> 16}:1::1`],
  ])('%s of any number of networks add at most 20 MB to the heap', (_, numberedAddress) => {
    // Without rejections, whose errors take most of the time.
    const limiter = limiterOf(MILLION);
    const before = usedHeap();
    for (let index = 0; index < FULL; index += 1) send(limiter, numberedAddress(index));
    const full = usedHeap();
    expect(full - before).toBeLessThan(20 * MILLION);
    for (let index = FULL; index < 3 * FULL; index += 1) send(limiter, numberedAddress(index));
    expect(usedHeap() - full).toBeLessThan(MILLION);
    expect(send(limiter, numberedAddress(0))).toBe('ok');
  });

  test('addresses share the limit of their network, and addresses that were counted before keep their own', () => {
    const limiter = limiterOf(3);
    expect(send(limiter, '198.51.100.7')).toBe('ok');
    flood(limiter);
    // The network of the attack has used its limit, also for an address that had no request yet.
    expect(send(limiter, ipv4(19_999))).toBe('RATE_LIMITED');
    expect(['198.51.100.7', '198.51.100.7', '198.51.100.7'].map((ip) => send(limiter, ip))).toEqual([
      'ok',
      'ok',
      'RATE_LIMITED',
    ]);
    // Another network has a limit of its own, which is four times as high.
    const neighbours = Array.from({ length: 13 }, (_, index) => `203.0.113.${index}`);
    expect(neighbours.map((ip) => send(limiter, ip))).toEqual([...Array<string>(12).fill('ok'), 'RATE_LIMITED']);
  });

  test('after a minute, addresses have their own limits again', () => {
    const limiter = limiterOf(1);
    const now = jest.spyOn(performance, 'now');
    now.mockReturnValue(1_000);
    flood(limiter);
    expect(send(limiter, ipv4(19_999))).toBe('RATE_LIMITED');
    now.mockReturnValue(61_000);
    expect([ipv4(19_999), ipv4(19_998), ipv4(19_998)].map((ip) => send(limiter, ip))).toEqual([
      'ok',
      'ok',
      'RATE_LIMITED',
    ]);
  });
});
