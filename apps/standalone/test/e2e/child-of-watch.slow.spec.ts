import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import { Parent, VALID_CHILD } from '../support/parent.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

const DETAIL_PATH = `${WATCH_PATH}child/detail`;

describe('the child of a watch', () => {
  let service: TestService;
  let fixture: FamilyFixture;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    fixture = await FamilyFixture.create(service);
  });
  afterEach(() => fixture.disconnectAll());

  const updateChild = (fields: object) =>
    expectOk(fixture.owner.post('child/update', { ...VALID_CHILD, cid: fixture.cid, ...fields }));

  const childUpdates = (client: TestClient) =>
    client
      .messagesOfKind('ContactsChangeNoticeMessage')
      .filter(({ payload }) => (payload as { change: string }).change === 'CHILD_UPDATED');

  async function waitForUpdates(client: TestClient, count: number): Promise<void> {
    await client.waitFor(() => childUpdates(client).length >= count, `notice ${count} about the child`);
    expect(childUpdates(client)).toHaveLength(count);
  }

  test('is shown by the watch: name, picture, time zone and step goal, and nothing else', async () => {
    await updateChild({ name: 'Mia Li', avatar: 'media/7', timeZone: 'Europe/Berlin' });
    expect(await expectOk(fixture.watch.get(DETAIL_PATH))).toEqual({
      cid: fixture.cid,
      name: 'Mia Li',
      avatar: 'media/7',
      timeZone: 'Europe/Berlin',
      stepGoal: null,
    });
  });

  test('changes: watch, guardians and contacts are told of name, picture, time zone and goal, and of nothing else', async () => {
    const { owner, guardian, watch, cid } = fixture;
    const contact = await Parent.signUp(service);
    await owner.addMember(contact, { role: 4 });
    const clients = await Promise.all([watch.connect(), owner.connect(), guardian.connect(), contact.connect()]);
    const changes = [{ name: 'Mia Li' }, { name: 'Mia Li', avatar: 'media/8' }, { name: 'Mia Li', timeZone: 'UTC' }];
    for (const [index, fields] of changes.entries()) {
      await updateChild(fields);
      for (const client of clients) await waitForUpdates(client, index + 1);
    }
    await updateChild({ name: 'Mia Li', weight: 150 });
    await expectOk(owner.post('child/step-goal/update', { cid, stepGoal: 9_000 }));
    for (const client of clients) await waitForUpdates(client, 4);
    expect(childUpdates(clients[3]).at(-1)).toMatchObject({
      cid,
      payload: { did: watch.did, refId: cid, version: expect.any(Number) },
    });
    contact.disconnectAll();
  });

  test('changes are not told to a watch that is no longer bound, and are told to members without a watch', async () => {
    const { owner, guardian, watch } = fixture;
    await expectOk(owner.post('device/unbind', { did: watch.did, stepUp: await owner.stepUp() }));
    const [watchClient, guardianClient] = [await watch.connect(), await guardian.connect()];
    await updateChild({ name: 'Mia Li' });
    await waitForUpdates(guardianClient, 1);
    expect(childUpdates(guardianClient)[0]).toMatchObject({ payload: { did: null } });
    expect(childUpdates(watchClient)).toEqual([]);
  });

  test('has a lost mode, whose start and end are told to watch and guardians as changes of the binding', async () => {
    const { owner, guardian, watch, cid } = fixture;
    const clients = await Promise.all([watch.connect(), owner.connect(), guardian.connect()]);
    const statesSeenBy = (client: TestClient) =>
      client
        .messagesOfKind('DeviceBindStateChangeNoticeMessage')
        .map(({ payload }) => (payload as { state: string }).state)
        .slice(-2);
    for (const lost of [true, true, false])
      await expectOk(owner.post('device/lost-mode/update', { did: watch.did, lost, lostMessage: 'Please call Anna' }));
    for (const client of clients) await waitFor(() => expect(statesSeenBy(client)).toEqual(['LOST', 'BOUND']));
    expect(clients[0].messagesOfKind('DeviceBindStateChangeNoticeMessage').at(-1)).toMatchObject({
      payload: { did: watch.did, cid, state: 'BOUND', by: `user:${owner.userId}` },
    });
  });

  test('has steps by day and a goal: the first report counts, guardians set the goal, members list the days', async () => {
    const { owner, guardian, watch, cid } = fixture;
    await expectOk(guardian.post('child/step-goal/update', { cid, stepGoal: 8_000 }));
    for (const stepTotal of [100, 250, 250, 40]) await expectOk(watch.post(`${WATCH_PATH}steps/report`, { stepTotal }));
    const { childList } = await expectOk(owner.get<{ childList: { stepCount: number }[] }>('child/get'));
    expect(childList[0]?.stepCount).toBe(290);
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Shanghai' }).format();
    const listed = await expectOk(owner.get('child/steps/list', { cid }));
    expect(listed).toEqual({ stepGoal: 8_000, items: [{ day: today, steps: 290 }], nextCursor: null });
    expect(await expectOk(watch.get(DETAIL_PATH))).toMatchObject({ stepGoal: 8_000 });
    await expectOk(guardian.post('child/step-goal/update', { cid, stepGoal: null }));
    expect(await expectOk(watch.get(DETAIL_PATH))).toMatchObject({ stepGoal: null });
  });

  test('has steps of many days, listed in pages, newest first', async () => {
    const { owner, cid } = fixture;
    await service.query(
      `INSERT INTO userctx.step_day SELECT $1, date '2026-02-27' + day, 1000 + day FROM generate_series(0, 4) AS day`,
      [cid],
    );
    interface Page {
      items: { day: string; steps: number }[];
      nextCursor: string | null;
    }
    const first = await expectOk(owner.get<Page>('child/steps/list', { cid, limit: 3 }));
    expect(first.items.map(({ day }) => day)).toEqual(['2026-03-03', '2026-03-02', '2026-03-01']);
    const second = await expectOk(
      owner.get<Page>('child/steps/list', { cid, limit: 3, cursor: String(first.nextCursor) }),
    );
    expect(second).toEqual({
      stepGoal: null,
      items: [
        { day: '2026-02-28', steps: 1_001 },
        { day: '2026-02-27', steps: 1_000 },
      ],
      nextCursor: null,
    });
    expect(await owner.get('child/steps/list', { cid, cursor: 'x' })).toMatchObject({ status: 400 });
  });
});
