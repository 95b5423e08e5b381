import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { freePort } from '@family-watch/testing/network/free-ports';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { internalCaller, serveInternalOperations } from '../../../src/http/internal-operations.js';
import { startTestApplication } from '../../support/test-application.js';

const SECRET = 'a-secret-of-the-deployment-of-this-test';

describe('internal operations', () => {
  let app: NestFastifyApplication;
  let url: string;

  beforeAll(async () => {
    const operations = {
      sum: {
        request: { numbers: { type: 'array', items: { type: 'integer' }, maxItems: 3 } },
        run: async ({ numbers }: { numbers: number[] }) => numbers.reduce((total, each) => total + each, 0),
      },
      refuse: {
        request: { reason: { type: 'string' } },
        run: ({ reason }: { reason: ErrorReason }) => Promise.reject(new ServiceError(reason)),
      },
    };
    const configure = (built: NestFastifyApplication) => serveInternalOperations(built, SECRET, operations);
    ({ app, url } = await startTestApplication([], { configure }));
  });
  afterAll(() => app.close());

  const post = (path: string, authorization: string | undefined, body: unknown) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) },
      body: JSON.stringify(body),
    });

  test('return their result to a caller with the secret', async () => {
    expect(await internalCaller(url, SECRET)('sum', { numbers: [1, 2, 3] })).toBe(6);
  });

  test.each([undefined, 'Bearer', 'Bearer wrong', `Basic ${SECRET}`, `Bearer ${SECRET}x`])(
    'respond like an unknown route to a caller with the authorization %p',
    async (authorization) => {
      const unknown = await post('/internal/unknown', authorization, {});
      const expected = [unknown.status, await unknown.text()];
      expect(expected[0]).toBe(404);
      const sum = await post('/internal/sum', authorization, { numbers: [1] });
      expect([sum.status, (await sum.text()).replaceAll('sum', 'unknown')]).toEqual(expected);
    },
  );

  test.each([{}, { numbers: ['x'] }, { numbers: [1, 2, 3, 4] }])('reject the invalid request %j', async (request) => {
    expect((await post('/internal/sum', `Bearer ${SECRET}`, request)).status).toBe(400);
    await expect(internalCaller(url, SECRET)('sum', request)).rejects.toThrow('status 400');
  });

  test.each(['OVERLOADED', 'TOO_MANY_CONCURRENT_REQUESTS'])('pass the refusal %s of busy work on', async (reason) => {
    const sentAt = performance.now();
    await expect(internalCaller(url, SECRET)('refuse', { reason })).rejects.toMatchObject({ reason, retryAfter: 2 });
    // Only callers of operations wait for the response.
    expect(performance.now() - sentAt).toBeLessThan(500);
  });

  test('a call that is refused for another reason fails with the status', async () => {
    await expect(internalCaller(url, SECRET)('refuse', { reason: 'FORBIDDEN' })).rejects.toMatchObject({
      name: 'InternalCallError',
      message: 'Internal operation refuse returned status 403',
    });
  });

  test('a call to an app that does not respond fails with the URL of the app', async () => {
    const port = await freePort();
    await expect(internalCaller(`http://127.0.0.1:${port}`, SECRET)('sum')).rejects.toMatchObject({
      name: 'InternalCallError',
      message: `No response from http://127.0.0.1:${port} to the internal operation sum`,
    });
  });
});
