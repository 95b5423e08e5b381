import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Environment } from '@family-watch/platform/config/environment';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { HttpClient, repeatWhileUnavailable, type ServiceResponse } from '../../support/http-client.js';
import { Parent } from '../../support/parent.js';
import { TestService } from '../../support/test-service.js';
import { Watch } from '../../support/watch.js';

/** Number of watches and children whose ids are compared; 10,000 in a run with PROPERTY_RUNS=40. */
const WATCHES = propertyRuns(240);
/** Maximum number of children of a family. */
const CHILDREN_PER_FAMILY = 20;
const PARALLEL = 12;
const DID_BITS = 53;
const GUESSES = 120;
const { RATE_LIMIT_CALLER_REQUESTS } = new Environment();

describe('A4 ids of watches and children', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
  });
  afterAll(() => service.stop());

  test('device ids (dids) have no order and no neighbours', async () => {
    const dids = (
      await Promise.all(
        Array.from({ length: PARALLEL }, async () => {
          const own: number[] = [];
          while (own.length < WATCHES / PARALLEL) own.push((await Watch.enrol(service.url)).did);
          return own;
        }),
      )
    ).flat();
    expectRandomOrder(dids);
    const sorted = dids.toSorted((one, other) => one - other);
    const nearest = Math.min(...sorted.slice(1).map((did, index) => did - (sorted[index] ?? 0)));
    // The expected distance of the two nearest of n random numbers is 2^bits / n²; a thousandth of it is not random.
    expect(nearest).toBeGreaterThan(2 ** DID_BITS / dids.length ** 2 / 1_000);
    expect(Math.max(...dids)).toBeGreaterThan(2 ** (DID_BITS - 1));
  });

  test('ids of children (cids) are random UUIDs and have no order', async () => {
    const parents = await Promise.all(Array.from({ length: 4 }, () => Parent.signUp(service)));
    const cids: string[] = [];
    for (let index = 0; index < CHILDREN_PER_FAMILY; index += 1)
      cids.push(...(await Promise.all(parents.map((parent) => parent.createChild()))));
    for (const cid of cids)
      expect(cid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expectRandomOrder(cids.map((cid) => parseInt(cid.slice(0, 8), 16)));
  });

  test('guesses near an existing did find nothing and count towards the limit of the caller, not of the address', async () => {
    const { did } = await Watch.enrol(service.url);
    const stranger = await Parent.signUp(service);
    const answers = await Promise.all(
      Array.from({ length: GUESSES }, (_, index) =>
        repeatWhileUnavailable(() => stranger.get('device/get', { did: Math.max(1, did - index - 1) })),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    // What happens at the limit is tested in direct-routes.spec.ts: to reach it takes 50 requests per second.
    const remaining = answers.map(remainingRequests);
    expect(new Set(remaining).size).toBe(GUESSES);
    expect(Math.max(...remaining)).toBeLessThan(RATE_LIMIT_CALLER_REQUESTS);
    const neighbour = new HttpClient(service.url, (await Parent.signUp(service)).token, 'plain', stranger.address);
    const first = await neighbour.get('child/detail', { cid: randomUUID() });
    expect(first.status).toBe(404);
    expect(remainingRequests(first)).toBeGreaterThan(RATE_LIMIT_CALLER_REQUESTS - GUESSES);
  });
});

function remainingRequests({ headers }: ServiceResponse): number {
  return Number(headers.get('x-ratelimit-remaining'));
}

/**
 * In a random sequence of n numbers, a number exceeds its predecessor (n − 1) / 2 times, with a variance of (n + 1) /
 * 12. The limit of six standard deviations fails once in 500 million runs.
 */
function expectRandomOrder(numbers: readonly number[]): void {
  expect(new Set(numbers).size).toBe(numbers.length);
  const ascents = numbers.slice(1).filter((value, index) => value > (numbers[index] ?? 0)).length;
  const deviation = Math.abs(ascents - (numbers.length - 1) / 2);
  expect(deviation).toBeLessThan(6 * Math.sqrt((numbers.length + 1) / 12));
}
