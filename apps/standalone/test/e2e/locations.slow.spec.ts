import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ShareDto } from '@family-watch/domain/locations/dto/location-share.dto';
import type { StoredPointDto } from '@family-watch/domain/locations/dto/track.dto';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture, waitForCenterMessage } from '../support/family-fixture.js';
import { expectOk, HttpClient } from '../support/http-client.js';
import { waitUntilEventsProcessed } from '../support/table-digests.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

type CreatedShare = ShareDto & { url: string };
type LastLocation = { location: StoredPointDto | null };

function createPoint(positionTime: number, latitude = '31.2304') {
  return { latitude, longitude: '121.4737', radius: 12, pointType: 1, positionTime };
}

describe('locations of a child', () => {
  let service: TestService;
  let fixture: FamilyFixture;
  let now: number;

  beforeAll(async () => {
    service = await TestService.start('standalone');
  });
  afterAll(() => service.stop());
  async function createFamily(): Promise<void> {
    fixture = await FamilyFixture.create(service);
    now = Date.now();
  }

  const report = (points: unknown) => fixture.watch.post(`${WATCH_PATH}location/report`, { points });
  const createAnonymousClient = () => new HttpClient(service.url);

  describe('location points', () => {
    beforeEach(createFamily);
    afterEach(() => fixture.disconnectAll());

    test('a point that a guardian marks as wrong is not the last location until the mark is withdrawn', async () => {
      const guardian = await fixture.guardian.connect();
      await expectOk(report([createPoint(now - 2 * HOUR_MS, '31.1'), createPoint(now - MINUTE_MS, '31.9')]));
      const seen = () =>
        guardian
          .messagesOfKind('LocationPointChangeMessage')
          .map(({ payload }) => (payload as { location: { latitude: string } }).location.latitude);
      await guardian.waitFor(() => seen().at(-1) === '31.9', 'the wrong position');
      const reference = { cid: fixture.cid, positionTime: now - MINUTE_MS, pointType: 1 };
      const corrected = await expectOk(
        fixture.owner.post<LastLocation>('location/wrong/report', { ...reference, comment: 'At home' }),
      );
      expect(corrected.location?.latitude).toBe('31.1');
      await guardian.waitFor(() => seen().at(-1) === '31.1', 'the right one');
      expect(await expectOk(fixture.guardian.get<LastLocation>('location/get', { cid: fixture.cid }))).toEqual(
        corrected,
      );
      const { childList } = await expectOk(fixture.owner.get<{ childList: { lastLocation: object }[] }>('child/get'));
      expect(childList[0]?.lastLocation).toMatchObject({ latitude: '31.1' });
      await expectOk(fixture.guardian.post('location/wrong/withdraw', reference));
      await guardian.waitFor(() => seen().at(-1) === '31.9', 'the position again');
    });
  });

  describe('a location share', () => {
    beforeEach(createFamily);

    const share = (body: object = {}) =>
      expectOk(fixture.owner.post<CreatedShare>('location/share/create', { cid: fixture.cid, ...body }));
    const open = (url: string, accept?: string) =>
      createAnonymousClient().send('GET', new URL(url).pathname, accept === undefined ? {} : { headers: { accept } });
    const expectInvalidLink = async (url: string) => {
      const [response, unknown] = [await open(url), await open(`${service.url}/share/${'A'.repeat(43)}`)];
      expect([response.status, response.body['reason']]).toEqual([404, 'LINK_NOT_FOUND']);
      expect(response.text).toBe(unknown.text);
      const page = await open(url, 'text/html');
      expect([page.status, page.text]).toEqual([404, (await open(`${service.url}/share/nothing`, 'text/html')).text]);
    };

    test('shows only the location of the child, to any person who has the link', async () => {
      await expectOk(report([createPoint(now - 1_000)]));
      const { url, shareId, expiresAt } = await share({ expiresIn: 600 });
      expect(new URL(url).pathname).toMatch(/^\/share\/[\w-]{43}$/);
      const answer = await open(url);
      expect(answer.body).toEqual({ title: null, location: createPoint(now - 1_000), expiresAt });
      const guards = ['cache-control', 'referrer-policy', 'x-robots-tag', 'content-security-policy'];
      expect(guards.map((name) => answer.headers.get(name))).toEqual([
        'no-store',
        'no-referrer',
        'noindex, nofollow, noarchive',
        expect.stringContaining(`default-src 'none'`),
      ]);
      const page = await open(url, 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8');
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.text).toContain('31.2304,121.4737');
      for (const text of [answer.text, page.text]) expect(text).not.toMatch(/Mia|Mimi|userId|familyId|"cid"|"did"/);
      const message = await waitForCenterMessage(fixture.guardian, 'LOCATION', 'LOCATION_SHARED');
      expect(message.params).toMatchObject({ shareId });
      expect((await open((await share({ title: 'Mia & <Leo>' })).url, 'text/html')).text).toContain(
        'Mia &amp; &lt;Leo&gt;',
      );
    });

    test('ends when its creator is removed or the child is deleted, and is not restored with the child', async () => {
      const body = { cid: fixture.cid };
      const theirs = await expectOk(fixture.guardian.post<CreatedShare>('location/share/create', body));
      const own = await share();
      const { familyId } = fixture;
      await expectOk(fixture.owner.post('family/member/remove', { familyId, userId: fixture.guardian.userId }));
      await expectInvalidLink(theirs.url);
      expect((await open(own.url)).status).toBe(200);
      await expectOk(fixture.owner.get('child/delete', { cid: fixture.cid }));
      await expectInvalidLink(own.url);
      await waitUntil('both to have ended', async () => {
        const rows = await service.query('SELECT 1 FROM userctx.location_share WHERE cid = $1', [fixture.cid]);
        return rows.length === 0;
      });
      await expectOk(fixture.owner.post('child/restore', { cid: fixture.cid }));
      await expectInvalidLink(own.url);
    });

    test('has a token that appears in no log line and in no table', async () => {
      const { url } = await share();
      const token = new URL(url).pathname.split('/').at(-1) ?? '';
      await open(url);
      await open(url, 'text/html');
      await open(`${url}x`);
      await waitUntilEventsProcessed(service);
      expect(service.logs.filter((line) => line.includes(token))).toEqual([]);
      const tables = await service.query<{ name: string }>(
        `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
          WHERE schemaname IN ('userctx', 'gateway', 'mcdisk')`,
      );
      const probes = tables.map(({ name }) => `SELECT '${name}' AS found FROM ${name} t WHERE t::text LIKE $1`);
      expect(await service.query(probes.join(' UNION ALL '), [`%${token}%`])).toEqual([]);
    });
  });
});
