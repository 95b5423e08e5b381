import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture, findConversation, waitForConversation } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import type { Parent } from '../support/parent.js';
import { TestService } from '../support/test-service.js';
import { Watch, WATCH_PATH } from '../support/watch.js';

const ADD_FRIEND_NOTICE = 'AddFriendNoticeMessage';

describe('friends of two families', () => {
  let service: TestService;
  let mia: FamilyFixture;
  let leo: FamilyFixture;
  /** Sockets of the watches and guardians of both families. */
  let sockets: TestClient[];

  beforeAll(async () => {
    service = await TestService.shared('standalone');
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    [mia, leo] = await Promise.all([FamilyFixture.create(service), FamilyFixture.create(service)]);
    sockets = await Promise.all(
      [mia, leo].flatMap(({ owner, guardian, watch }) => [owner.connect(), guardian.connect(), watch.connect()]),
    );
  });
  afterEach(() => {
    for (const fixture of [mia, leo]) fixture.disconnectAll();
  });

  const about = ({ watch: { did } }: FamilyFixture, applicationId: string) => ({ did, applicationId });

  async function applyForFriend(by: Parent | Watch, from: FamilyFixture, to: FamilyFixture) {
    const { friendCode } = await expectOk(to.watch.post<{ friendCode: string }>(`${WATCH_PATH}friend-code/create`, {}));
    return by.post<{ applicationId: string; reason?: string }>('device/friends/apply', {
      did: from.watch.did,
      friendCode,
    });
  }

  async function waitForNotices(states: readonly string[]): Promise<void> {
    for (const socket of sockets) {
      await socket.waitFor(
        () => socket.messagesOfKind(ADD_FRIEND_NOTICE).length >= states.length,
        `${states.length} notices`,
      );
      expect(
        socket.messagesOfKind(ADD_FRIEND_NOTICE).map(({ payload }) => (payload as { state: string }).state),
      ).toEqual(states);
    }
  }

  test('each change of a friendship notifies the watches and guardians of both families about their own child', async () => {
    const { applicationId } = await expectOk(applyForFriend(mia.watch, mia, leo));
    await waitForNotices(['APPLIED']);
    await expectOk(mia.guardian.post('device/friends/confirm', about(mia, applicationId)));
    await waitForNotices(['APPLIED', 'CONFIRMED']);
    await expectOk(leo.owner.post('device/friends/confirm', about(leo, applicationId)));
    await waitForNotices(['APPLIED', 'CONFIRMED', 'ACCEPTED']);
    await expectOk(leo.owner.post('device/friends/delete', about(leo, applicationId)));
    await waitForNotices(['APPLIED', 'CONFIRMED', 'ACCEPTED', 'ENDED']);
    for (const [index, socket] of sockets.entries()) {
      const { watch, cid } = index < 3 ? mia : leo;
      for (const message of socket.messagesOfKind(ADD_FRIEND_NOTICE)) {
        expect(message).toMatchObject({ did: watch.did, cid, payload: { applicationId, from: mia.watch.did } });
      }
    }
  });

  test('a guessed code and a blocked child are rejected without any notice', async () => {
    const guess = { did: mia.watch.did, friendCode: '0123456789' };
    expect(await mia.owner.post('device/friends/apply', guess)).toMatchObject({ body: { reason: 'CODE_INVALID' } });
    const { applicationId } = await expectOk(applyForFriend(mia.owner, mia, leo));
    await waitForNotices(['CONFIRMED']);
    await expectOk(leo.guardian.post('device/friends/block', about(leo, applicationId)));
    await waitForNotices(['CONFIRMED', 'REJECTED']);
    const [blocked, wrong] = [
      await applyForFriend(mia.owner, mia, leo),
      await mia.owner.post('device/friends/apply', guess),
    ];
    expect(blocked.text).toBe(wrong.text);
    // The valid request causes a notice; the rejected requests before it caused none.
    await expectOk(applyForFriend(leo.owner, leo, mia));
    await waitForNotices(['CONFIRMED', 'REJECTED', 'CONFIRMED']);
  });

  test('the children can chat as soon as both families have agreed and until the friendship ends', async () => {
    const text = () => ({ clientMsgId: randomUUID(), text: 'Hi' });
    const { applicationId } = await expectOk(applyForFriend(mia.owner, mia, leo));
    await waitForNotices(['CONFIRMED']);
    expect(await findConversation(mia.watch, 'FRIENDS')).toBeUndefined();
    await expectOk(leo.owner.post('device/friends/confirm', about(leo, applicationId)));
    const conversationId = await waitForConversation(mia.watch, 'FRIENDS');
    const [mias, leos] = [sockets[2], sockets[5]];
    if (!mias || !leos) throw new Error('A watch is not connected');
    expect(await mias.send('ChatTextMessage', { ...text(), conversationId })).toMatchObject({ ok: true });
    await leos.waitFor(() => leos.messagesOfKind('ChatTextMessage').length > 0, 'the text of the friend');
    expect(leos.messagesOfKind('ChatTextMessage')).toMatchObject([
      { from: { type: 'watch', id: String(mia.watch.did) } },
    ]);

    await expectOk(mia.guardian.post('device/friends/block', about(mia, applicationId)));
    await waitUntil('the end of the conversation', async () => {
      const answer = await leos.send('ChatTextMessage', { ...text(), conversationId });
      return !answer.ok && answer.reason === 'CONVERSATION_NOT_FOUND';
    });
  });

  test('a sibling neither sees the friendship of a child nor acts for the child', async () => {
    const { applicationId } = await makeFriends();
    const sibling = await Watch.enrolAndBind(mia.owner, await mia.owner.createChild({ name: 'Tom' }));
    for (const action of ['confirm', 'reject', 'delete', 'block', 'unblock']) {
      const [ofSibling, ofNobody] = await Promise.all(
        [applicationId, randomUUID()].map((id) =>
          mia.owner.post(`device/friends/${action}`, { did: sibling.did, applicationId: id }),
        ),
      );
      expect([ofSibling?.status, ofSibling?.text]).toEqual([404, ofNobody?.text]);
    }
    const byWatch = await applyForFriend(sibling, mia, leo);
    expect(byWatch.body).toMatchObject({ reason: 'WATCH_NOT_FOUND' });
  });

  async function makeFriends(): Promise<{ applicationId: string; conversationId: string }> {
    const applicationId = await mia.befriend(leo);
    return { applicationId, conversationId: await waitForConversation(mia.watch, 'FRIENDS') };
  }

  const friendsOf = async ({ watch }: FamilyFixture) =>
    (await expectOk(watch.get<{ items: object[] }>('device/friends/list', { did: watch.did }))).items;

  test('deleting a child ends its conversations with friends; restoring the child does not reopen them', async () => {
    const { applicationId, conversationId } = await makeFriends();
    await expectOk(leo.owner.get('child/delete', { cid: leo.cid }));
    await waitUntil(
      'the end of the friendship',
      async () => (await friendsOf(mia)).length === 0 && !(await findConversation(mia.watch, 'FRIENDS')),
    );
    await expectOk(leo.owner.post('child/restore', { cid: leo.cid }));
    const { watch } = leo;
    const watches = async () => (await expectOk(leo.owner.get<{ items: { did: number }[] }>('device/list'))).items;
    await waitUntil('the watch of the restored child', async () => (await watches())[0]?.did === watch.did);
    const client = await watch.connect();
    await waitUntil('a refusal that knows the watch', async () => {
      const answer = await client.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text: 'Hi' });
      expect(answer.ok).toBe(false);
      return !answer.ok && answer.reason === 'CONVERSATION_NOT_FOUND';
    });
    const again = { did: mia.watch.did, applicationId };
    expect(await mia.owner.post('device/friends/confirm', again)).toMatchObject({ body: { reason: 'CONFLICT' } });
    // When both families agree again, the earlier conversation is reopened.
    const { friendCode } = await expectOk(watch.post<{ friendCode: string }>(`${WATCH_PATH}friend-code/create`, {}));
    await expectOk(mia.owner.post('device/friends/apply', { did: mia.watch.did, friendCode }));
    await expectOk(leo.owner.post('device/friends/confirm', { did: watch.did, applicationId }));
    expect(await waitForConversation(mia.watch, 'FRIENDS')).toBe(conversationId);
  });
});
