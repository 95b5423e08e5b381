import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Environment } from '@family-watch/platform/config/environment';
import { describeBothDeployments } from '../support/deployments.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { HttpClient, repeatWhileUnavailable, type ServiceResponse } from '../support/http-client.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

const { RATE_LIMIT_REQUESTS, RATE_LIMIT_FILE_REQUESTS, RATE_LIMIT_SITE_REQUESTS } = new Environment();
const ALBUM_PICTURES = 2_000;
/** Requests of a browser that has none of the console's files, at most. */
const FIRST_VISIT_REQUESTS = 60;

/** Tests the limits by kind of operation, with the default settings of production. */
describeBothDeployments('A34 rate limits', (deployment) => {
  let service: TestService;
  let family: FamilyFixture;
  /** A client at the address of the family. */
  let neighbour: HttpClient;

  beforeAll(async () => {
    service = await TestService.shared(deployment);
    family = await FamilyFixture.create(service);
    neighbour = new HttpClient(service.url, undefined, 'plain', family.owner.address);
  });
  afterAll(async () => {
    family.disconnectAll();
    await service.stop();
  });

  /** Sends a request more often than an IP address may per minute. @returns the number of responses by HTTP status */
  async function countStatusesAboveLimit(send: () => Promise<ServiceResponse>): Promise<Record<number, number>> {
    const statuses: Record<number, number> = {};
    const answers = await Promise.all(
      Array.from({ length: RATE_LIMIT_REQUESTS + 50 }, () => repeatWhileUnavailable(send)),
    );
    for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
    return statuses;
  }

  test('guesses at share links, file links and uploads stop no other operation of clients at the same IP address', async () => {
    expect((await countStatusesAboveLimit(() => neighbour.get('/share/x')))[429]).toBeGreaterThan(0);
    expect((await neighbour.get('/share/x')).headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await countStatusesAboveLimit(() => neighbour.get('/app-api/mcdisk/blob/x')))[429]).toBeGreaterThan(0);
    const put = () => neighbour.send('PUT', '/app-api/mcdisk/blob/x', { body: 'x' });
    expect((await countStatusesAboveLimit(put))[429]).toBeGreaterThan(0);
    const wrong = { areaCode: '+86', phoneNumber: '13812345678', password: 'wrong-password-77' };
    const { publicKey, did } = family.watch;
    const answers = await Promise.all([
      neighbour.post('account/sign-in', wrong),
      neighbour.post('account/token/refresh', { refreshToken: 'x'.repeat(43) }),
      neighbour.post(`${WATCH_PATH}enrol/challenge`, { publicKey }),
      neighbour.post(`${WATCH_PATH}token/challenge`, { did }),
      neighbour.get('/.well-known/jwks.json'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 200, 200, 200]);
    await family.watch.renewToken();
    expect((await family.owner.get('child/detail', { cid: family.cid })).status).toBe(200);
  });

  // The edge of the distributed deployment does not forward requests for the health checks of the processes.
  if (deployment === 'standalone') {
    test('health checks are not limited', async () => {
      expect(await countStatusesAboveLimit(() => neighbour.get('/health/live'))).toEqual({
        200: RATE_LIMIT_REQUESTS + 50,
      });
    });

    // The edge of the distributed deployment serves these files.
    test('the browsers of many families at the same IP address load the files of the console', async () => {
      expect(await countStatusesAboveLimit(() => neighbour.get('/service-worker.js'))).toEqual({
        200: RATE_LIMIT_REQUESTS + 50,
      });
      expect(RATE_LIMIT_SITE_REQUESTS).toBeGreaterThanOrEqual(50 * FIRST_VISIT_REQUESTS);
    });
  }

  test('the holder of file links can load an album while other clients at the same IP address guess links', async () => {
    const link = await family.linkTo(await family.storeFile());
    await countStatusesAboveLimit(() => neighbour.get('/app-api/mcdisk/blob/x'));
    expect(await countStatusesAboveLimit(() => neighbour.get(link))).toEqual({ 200: RATE_LIMIT_REQUESTS + 50 });
    // Each picture may be read twice a minute: its thumbnail and the file.
    expect(RATE_LIMIT_FILE_REQUESTS).toBeGreaterThanOrEqual(2 * ALBUM_PICTURES);
  });
});
