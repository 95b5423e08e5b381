import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitFor, waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture, REVOCATION_LIMIT_MS, waitUntilExcluded } from './family-fixture.js';
import { CLOUD_PATH, expectOk } from './http-client.js';
import type { TestService } from './test-service.js';
import { WATCH_PATH } from './watch.js';

const PROJECTIONS = ['gateway.family', 'gateway.conversation_source', 'mcdisk.family_projection'] as const;

/**
 * Declares tests in which the gateway and mcdisk cannot store the events of a family, or have lost them. The service
 * must not be shared with other suites, and must compare its projections every second.
 */
export function declareUnprocessedEventTests(getService: () => TestService): void {
  let service: TestService;
  let fixture: FamilyFixture;

  beforeEach(async () => {
    service = getService();
    fixture = await FamilyFixture.create(service);
  });
  afterEach(async () => {
    fixture.disconnectAll();
    await acceptProjections();
  });

  /** Makes the database reject every change of the projections. */
  async function rejectProjections(): Promise<void> {
    await service.query(`CREATE OR REPLACE FUNCTION public.reject_change() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'The test rejects this change'; END $$`);
    for (const table of PROJECTIONS)
      await service.query(`CREATE TRIGGER rejected BEFORE INSERT OR UPDATE ON ${table}
        FOR EACH ROW EXECUTE FUNCTION public.reject_change()`);
  }

  async function acceptProjections(): Promise<void> {
    for (const table of PROJECTIONS) await service.query(`DROP TRIGGER IF EXISTS rejected ON ${table}`);
  }

  async function removeGuardian(): Promise<void> {
    const { owner, guardian, familyId } = fixture;
    await expectOk(owner.post('family/member/remove', { familyId, userId: guardian.userId }));
  }

  async function reportPoint(latitude: string): Promise<void> {
    const point = { latitude, longitude: '121.4737', positionTime: Date.now(), radius: 20, pointType: 1 };
    await expectOk(fixture.watch.post(`${WATCH_PATH}location/report`, { points: [point] }));
  }

  const latitudesOf = (client: TestClient) =>
    client
      .messagesOfKind('LocationPointChangeMessage')
      .map(({ payload }) => (payload as { location: { latitude: string } }).location.latitude);
  const untilReceived = (client: TestClient, latitude: string) =>
    client.waitFor(() => latitudesOf(client).includes(latitude), `the location ${latitude}`);
  const listFiles = async () =>
    (await fixture.guardian.post(`${CLOUD_PATH}queryContentList`, { cloudID: fixture.familyId })).status;

  async function readReadiness(): Promise<string> {
    const responses = await Promise.all(service.processUrls.map((url) => fetch(`${url}/health/ready`)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    return (await Promise.all(responses.map((response) => response.text()))).join();
  }

  /** Returns whether gateway and mcdisk have stored the current family and have no unprocessed event of it. */
  async function isFamilyStored(): Promise<boolean> {
    const [row] = await service.query<{ isStored: boolean }>(
      `SELECT (SELECT version FROM gateway.family WHERE family_id = $1) = version
          AND (SELECT version FROM gateway.conversation_source WHERE source = 'family:' || $1) = version
          AND (SELECT version FROM mcdisk.family_projection WHERE family_id = $1) = version
          AND NOT EXISTS (SELECT FROM gateway.parked WHERE key = $1)
          AND NOT EXISTS (SELECT FROM gateway.dead_letter WHERE key = $1)
          AND NOT EXISTS (SELECT FROM mcdisk.parked WHERE key = $1)
          AND NOT EXISTS (SELECT FROM mcdisk.dead_letter WHERE key = $1) AS "isStored"
         FROM userctx.family WHERE family_id = $1::uuid`,
      [fixture.familyId],
    );
    return row?.isStored ?? false;
  }

  test('a removed member loses access within two seconds although no app can store the removal', async () => {
    const [removed, staying] = [await fixture.guardian.connect(), await fixture.owner.connect()];
    await reportPoint('31.2304');
    await untilReceived(removed, '31.2304');
    expect(await listFiles()).toBe(200);
    await rejectProjections();
    await removeGuardian();
    await waitUntil('the end of access to files', async () => (await listFiles()) === 404, REVOCATION_LIMIT_MS);
    let reported = 0;
    await waitUntilExcluded(removed, async () => {
      reported += 1;
      // No trailing zero, because the service omits it.
      const latitude = `31.2305${reported}1`;
      await reportPoint(latitude);
      await untilReceived(staying, latitude);
    });
    const latitudes = latitudesOf(removed);
    await waitUntil('a degraded readiness', async () =>
      (await readReadiness()).includes('gateway: unknown projections'),
    );
    await waitFor(() => expect(service.logs.join('\n')).toContain('npm run operator -- dead-letters list'));
    expect(latitudesOf(removed)).toEqual(latitudes);
  });

  test('projections are repaired from userctx when they can be stored again', async () => {
    await rejectProjections();
    await removeGuardian();
    await waitUntil('unprocessed events', async () => {
      const rows = await service.query('SELECT FROM gateway.parked WHERE key = $1', [fixture.familyId]);
      return rows.length > 0;
    });
    await acceptProjections();
    await waitUntil('the repaired projections', isFamilyStored);
    expect(await listFiles()).toBe(404);
  });

  test('projections whose events were lost are repaired by comparison with userctx', async () => {
    await waitUntil('the projections', isFamilyStored);
    const { familyId } = fixture;
    await service.query(`UPDATE gateway.family SET version = version - 1 WHERE family_id = $1`, [familyId]);
    await service.query(`UPDATE mcdisk.family_projection SET version = version - 1 WHERE family_id = $1`, [familyId]);
    await service.query(`DELETE FROM gateway.conversation_source WHERE source = 'family:' || $1`, [familyId]);
    expect(await isFamilyStored()).toBe(false);
    await waitUntil('the repaired projections', isFamilyStored);
    await waitFor(() =>
      expect(service.logs.join('\n')).toContain('Projection differed from its source and was repaired'),
    );
  });

  test('the contents of a cloud whose events were lost are repaired by comparison with mcdisk', async () => {
    const [present, obsolete] = [await fixture.storeFile(), randomUUID()];
    const { familyId } = fixture;
    const projected = async () => {
      const rows = await service.query<{ id: string }>(
        'SELECT content_id AS id FROM gateway.cloud_content WHERE family_id = $1',
        [familyId],
      );
      return rows.map(({ id }) => id).join();
    };
    await waitUntil('the content', async () => (await projected()) === present);
    await service.query('UPDATE gateway.cloud_content SET content_id = $2 WHERE family_id = $1', [familyId, obsolete]);
    await waitUntil('the repaired contents', async () => (await projected()) === present);
  });
}
