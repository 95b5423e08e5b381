import { createServer, request, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { sharedService, type SharedService } from '@family-watch/testing/service/shared-services';
import type { FuzzOptions } from '../../src/fuzz/fuzz-options.js';
import { FuzzRun } from '../../src/fuzz/fuzz-run.js';

const SEED = Number(process.env['PROPERTY_SEED'] ?? Math.ceil(Math.random() * 2 ** 31));
/** Prefix of the paths whose responses the proxy replaces: a quarter of all operations. */
const FAULTY_PREFIX = '/apis/v2/operator/';

/** Without operators, because their operations would affect the other suites that use the service. */
describe('the fuzzer', () => {
  let service: SharedService;
  const proxies: Server[] = [];

  beforeAll(async () => {
    service = await sharedService('standalone');
  });
  afterEach(() => {
    for (const proxy of proxies.splice(0)) proxy.close().closeAllConnections();
  });

  const fuzz = async (url: string, options: Partial<FuzzOptions>) => {
    const printed: string[] = [];
    const target = { url, dataDir: service.dataDir };
    const report = await FuzzRun.execute(
      { seed: SEED, requests: 0, frames: 0, validRounds: 0, ...options },
      target,
      (text) => printed.push(text),
    );
    return { ...report, printed };
  };

  /** Starts a proxy in front of the service that responds to operators with an internal error. */
  async function startFaultyProxy(): Promise<string> {
    const proxy = createServer((incoming, response) => {
      if (incoming.url?.startsWith(FAULTY_PREFIX)) {
        response.writeHead(500).end('Error\n    at find (/srv/accounts.js:1:1)');
        return;
      }
      const { url = '', method, headers } = incoming;
      const outgoing = request(`${service.url}${url}`, { method, headers }, (received) => {
        response.writeHead(received.statusCode ?? 502, received.headers);
        received.pipe(response);
      });
      outgoing.on('error', () => response.destroy());
      incoming.pipe(outgoing);
    });
    proxies.push(proxy);
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  }

  test('finds nothing that the service does not withstand', async () => {
    const report = await fuzz(service.url, { requests: propertyRuns(300), frames: propertyRuns(100), validRounds: 1 });
    expect({ seed: SEED, findings: report.findings }).toEqual({ seed: SEED, findings: [] });
    expect(report.iterations.request).toBe(propertyRuns(300));
    expect(report.frames).toBeGreaterThanOrEqual(propertyRuns(100));
    expect(report.operations.accepted).toBeGreaterThan(40);
    expect(report.outcomes['200']).toBeGreaterThan(0);
  });

  test('prints for a server error the seed and the iteration that cause it again', async () => {
    const url = await startFaultyProxy();
    const { findings, printed } = await fuzz(url, { requests: 80 });
    const [finding] = findings;
    expect(finding).toMatchObject({ what: expect.stringMatching(/: status 500$/), iteration: { kind: 'request' } });
    expect(printed.join('\n')).toContain(`--seed ${SEED} --only request:${finding?.iteration?.index}`);
    const { findings: repeated } = await fuzz(url, { only: finding?.iteration });
    expect(repeated).toMatchObject([{ what: finding?.what, iteration: finding?.iteration }]);
  });
});
