import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loopbackAddress } from '@family-watch/testing/clients/loopback-address';
import { RawConnection } from '@family-watch/testing/clients/raw-connection';
import { sampleOf } from '@family-watch/testing/properties/property-runs';
import { declaredOperations } from '../support/declared-operations.js';
import { describeDistributed } from '../support/deployments.js';
import { HttpClient } from '../support/http-client.js';
import { Parent } from '../support/parent.js';
import { TestService } from '../support/test-service.js';

const MIB = 1024 * 1024;
const MAX_MEMORY_GROWTH_BYTES = 100 * MIB;
/** Connections over which 1 MiB of requests is sent; the part of each connection fills one read of the server. */
const CONNECTIONS = 16;
const BYTES_PER_CONNECTION = MIB / CONNECTIONS;
const SAMPLED_ROUTES = 5;

const ATTACKED_ROUTES = [
  ...(await declaredOperations()).map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, 'x') })),
  { method: 'GET', path: '/docs' },
  { method: 'GET', path: '/docs/redoc.standalone.js' },
  { method: 'GET', path: '/socket.io/?EIO=4&transport=websocket' },
  { method: 'GET', path: '/unknown' },
];

// The suite starts its own service, because it measures the service's memory and sends more than 600 requests.
describe('A31 clients that do not read responses', () => {
  let service: TestService;
  let parent: Parent;

  beforeAll(async () => {
    service = await TestService.start('standalone', {
      RATE_LIMIT_REQUESTS: 1_000_000,
      RATE_LIMIT_CALLER_REQUESTS: 1_000_000,
      LOG_LEVEL: 'info',
    });
    parent = await Parent.signUp(service);
    await parent.createChild();
    // The first requests allocate memory that stays in use, so they are sent before the memory is measured.
    await attack('GET', '/apis/v2/userctx/user/child/get');
  });
  afterAll(() => service.stop());

  /** Sends 1 MiB of pipelined requests without reading responses. @returns the growth of the peak memory in bytes */
  async function attack(method: string, path: string): Promise<number> {
    const { processId } = service;
    const before = resetPeakBytes(processId);
    const token = `Authorization: Bearer ${parent.token ?? ''}\r\n`;
    const body = method === 'POST' ? 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}' : '\r\n';
    const request = `${method} ${path} HTTP/1.1\r\nHost: x\r\n${token}${body}`;
    const requests = request.repeat(Math.ceil(BYTES_PER_CONNECTION / request.length));
    const address = loopbackAddress();
    const connections = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => RawConnection.open(service.url, address)),
    );
    for (const connection of connections) connection.stopReading().send(requests);
    const client = new HttpClient(service.url);
    for (let check = 0; check < 3; check += 1) {
      const { status } = await client.send('GET', '/health/live');
      expect(status).toBe(200);
    }
    const growth = peakBytes(processId) - before;
    for (const connection of connections) connection.close();
    return growth;
  }

  test.each(sampleOf(ATTACKED_ROUTES, SAMPLED_ROUTES))(
    '1 MiB of requests for $method $path raises the memory by at most 100 MiB',
    async ({ method, path }) => {
      expect(await attack(method, path)).toBeLessThan(MAX_MEMORY_GROWTH_BYTES);
    },
  );

  test('1 MiB of pipelined requests for the API document raises the memory by at most 100 MiB', async () => {
    expect(await attack('GET', '/docs/openapi.json')).toBeLessThan(MAX_MEMORY_GROWTH_BYTES);
    expect((await parent.get('child/get')).status).toBe(200);
  });
});

describeDistributed('A31 clients of the edge that do not read responses', (deployment) => {
  test('the edge and userctx respond to another client', async () => {
    const service = await TestService.shared(deployment);
    const path = '/.well-known/jwks.json';
    const address = loopbackAddress();
    const connections = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => RawConnection.open(service.url, address)),
    );
    for (const connection of connections) {
      connection.stopReading().send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(1_000));
    }
    expect((await new HttpClient(service.url).send('GET', path)).status).toBe(200);
    for (const connection of connections) connection.close();
    await service.stop();
  });
});

describe('the API documents', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
  });
  afterAll(() => service.stop());

  test.each(['/docs', '/docs/openapi.json', '/docs/asyncapi.json', '/docs/redoc.standalone.js'])(
    '%s is compressed if the client accepts gzip, and has an ETag',
    async (path) => {
      // HttpClient would repeat the request, because the documents contain the reason REVOCATIONS_STALE.
      const get = (headers: Record<string, string>) => fetch(`${service.url}${path}`, { headers });
      const plain = await get({ 'accept-encoding': 'identity' });
      const compressed = await get({ 'accept-encoding': 'gzip' });
      expect([plain.status, compressed.headers.get('content-encoding')]).toEqual([200, 'gzip']);
      expect(await compressed.text()).toBe(await plain.text());
      const etag = plain.headers.get('etag') ?? '';
      expect(compressed.headers.get('etag')).not.toBe(etag);
      const unmodified = await get({ 'accept-encoding': 'identity', 'if-none-match': etag });
      expect([unmodified.status, await unmodified.text()]).toEqual([304, '']);
    },
  );

  test('an unknown document gets ROUTE_NOT_FOUND', async () => {
    const answer = await new HttpClient(service.url).send('GET', '/docs/nothing');
    expect(answer.body).toMatchObject({ code: 404001, reason: 'ROUTE_NOT_FOUND' });
  });
});

/** Starts a new measurement of the peak memory of a process. @returns its current memory in bytes */
function resetPeakBytes(processId: number): number {
  writeFileSync(`/proc/${processId}/clear_refs`, '5');
  return peakBytes(processId);
}

function peakBytes(processId: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}
