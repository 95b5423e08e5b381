import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { eventually } from '../support/eventually.js';
import { Household } from '../support/household.js';
import { expectOk } from '../support/http-client.js';
import { TestService } from '../support/test-service.js';
import { WATCH_SIDE } from '../support/watch.js';
import { describeBothWays } from '../support/ways.js';

jest.setTimeout(30_000);

const NOTICE = 'AddFriendNoticeMessage';

describeBothWays('friends of two families', (way) => {
  let service: TestService;
  let mia: Household;
  let leo: Household;
  /** Watches and guardians of both. */
  let sockets: TestClient[];

  beforeAll(async () => {
    service = await TestService.start(way);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    [mia, leo] = await Promise.all([Household.settle(service), Household.settle(service)]);
    sockets = await Promise.all(
      [mia, leo].flatMap(({ owner, guardian, watch }) => [owner.connect(), guardian.connect(), watch.connect()]),
    );
  });
  afterEach(() => {
    for (const home of [mia, leo]) home.hangUp();
  });

  const about = ({ watch: { did } }: Household, applicationId: string) => ({ did, applicationId });

  async function apply(by: Household['owner' | 'watch'], from: Household, to: Household) {
    const { friendCode } = await expectOk(to.watch.post<{ friendCode: string }>(`${WATCH_SIDE}friend-code/create`, {}));
    return by.post<{ applicationId: string; reason?: string }>('device/friends/apply', {
      did: from.watch.did,
      friendCode,
    });
  }

  async function friendsConversation({ watch }: Household): Promise<string | undefined> {
    const { items } = await expectOk(
      watch.get<{ items: { conversationId: string; type: string }[] }>('/apis/v2/message/conversation/list'),
    );
    return items.find(({ type }) => type === 'FRIENDS')?.conversationId;
  }

  async function untilTold(states: readonly string[]): Promise<void> {
    for (const socket of sockets) {
      await socket.until(() => socket.ofKind(NOTICE).length >= states.length, `${states.length} notices`);
      expect(socket.ofKind(NOTICE).map(({ payload }) => (payload as { state: string }).state)).toEqual(states);
    }
  }

  test('each step reaches the watches and guardians of both, about their own child', async () => {
    const { applicationId } = await expectOk(apply(mia.watch, mia, leo));
    await untilTold(['APPLIED']);
    await expectOk(mia.guardian.post('device/friends/confirm', about(mia, applicationId)));
    await untilTold(['APPLIED', 'CONFIRMED']);
    await expectOk(leo.owner.post('device/friends/confirm', about(leo, applicationId)));
    await untilTold(['APPLIED', 'CONFIRMED', 'ACCEPTED']);
    await expectOk(leo.owner.post('device/friends/delete', about(leo, applicationId)));
    await untilTold(['APPLIED', 'CONFIRMED', 'ACCEPTED', 'ENDED']);
    for (const [index, socket] of sockets.entries()) {
      const { watch, cid } = index < 3 ? mia : leo;
      for (const message of socket.ofKind(NOTICE)) {
        expect(message).toMatchObject({ did: watch.did, cid, payload: { applicationId, from: mia.watch.did } });
      }
    }
  });

  test('A16: a guess, and a child that was blocked, are refused before anybody hears of it', async () => {
    const guess = { did: mia.watch.did, friendCode: '0123456789' };
    expect(await mia.owner.post('device/friends/apply', guess)).toMatchObject({ body: { reason: 'CODE_INVALID' } });
    const { applicationId } = await expectOk(apply(mia.owner, mia, leo));
    await untilTold(['CONFIRMED']);
    await expectOk(leo.guardian.post('device/friends/block', about(leo, applicationId)));
    await untilTold(['CONFIRMED', 'REJECTED']);
    const [blocked, wrong] = [await apply(mia.owner, mia, leo), await mia.owner.post('device/friends/apply', guess)];
    expect(blocked.text).toBe(wrong.text);
    // What follows is heard; what was refused was not.
    await expectOk(apply(leo.owner, leo, mia));
    await untilTold(['CONFIRMED', 'REJECTED', 'CONFIRMED']);
  });

  test('the children can talk from when both families have agreed until it ends', async () => {
    const text = () => ({ clientMsgId: randomUUID(), text: 'Hi' });
    const { applicationId } = await expectOk(apply(mia.owner, mia, leo));
    await untilTold(['CONFIRMED']);
    expect(await friendsConversation(mia)).toBeUndefined();
    await expectOk(leo.owner.post('device/friends/confirm', about(leo, applicationId)));
    const conversationId = await eventually('the conversation', () => friendsConversation(mia));
    const [mias, leos] = [sockets[2], sockets[5]];
    if (!mias || !leos) throw new Error('A watch is not connected');
    expect(await mias.send('ChatTextMessage', { ...text(), conversationId })).toMatchObject({ ok: true });
    await leos.until(() => leos.ofKind('ChatTextMessage').length > 0, 'the text of the friend');
    expect(leos.ofKind('ChatTextMessage')).toMatchObject([{ from: { type: 'watch', id: String(mia.watch.did) } }]);

    await expectOk(mia.guardian.post('device/friends/block', about(mia, applicationId)));
    await eventually('the end of the conversation', async () => {
      const answer = await leos.send('ChatTextMessage', { ...text(), conversationId });
      return !answer.ok && answer.reason === 'CONVERSATION_NOT_FOUND' ? answer : undefined;
    });
  });

  test('a watch that is replaced keeps the friends', async () => {
    const { applicationId } = await expectOk(apply(mia.owner, mia, leo));
    await expectOk(leo.owner.post('device/friends/confirm', about(leo, applicationId)));
    await expectOk(leo.owner.post('device/unbind', { did: leo.watch.did, stepUp: await leo.owner.stepUp() }));
    const { items } = await expectOk(mia.watch.get<{ items: object[] }>('device/friends/list', { did: mia.watch.did }));
    expect(items).toMatchObject([{ applicationId, state: 'ACCEPTED', name: 'Mia', friendDid: null }]);
  });
});
