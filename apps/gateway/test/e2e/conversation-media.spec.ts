import { expect, jest, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { CloudContentRepository } from '../../src/conversations/media/cloud-content.repository.js';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { conversationsOf, createFriends } from '../support/conversations.js';
import { waitForKind } from '../support/family-fixture.js';
import { callerOf, connect, createFamily } from '../support/clients.js';
import { environment, node, otherNode, serviceOf, startGateway } from '../support/suite-gateway.js';

// This environment is not shared, because a test compares all grants in the outbox.
startGateway();

const imagePayload = (conversationId: string, contentID: string, thumbnail?: string) => ({
  clientMsgId: randomUUID(),
  conversationId,
  contentID,
  width: 640,
  height: 480,
  thumbnail,
});

/**
 * Sends an image by a request with an Idempotency-Key, whose transaction does not wait for events about unknown files.
 * @returns 'ok' or the reason of the refusal
 */
async function sendInRequest(sender: Principal, payload: object): Promise<string> {
  const key = { 'idempotency-key': randomUUID() };
  const { status, body } = await callerOf(sender).post('send', { kind: 'ChatImageMessage', ...payload }, key);
  return status === 200 ? 'ok' : String(body['reason']);
}

type ContentEventName = `mcdisk.content.${'added' | 'recycled' | 'restored' | 'purged'}`;
const publishContentEvent = (name: ContentEventName, cloudID: string, ids: string[]) =>
  environment.publish({ name, key: cloudID, payload: { cloudID, contentIDs: ids, by: 'user:x' } });

test('a client can send files of its own family cloud after the event about them has arrived, and no other files', async () => {
  const [fixture, foreign] = [await createFamily(), await createFamily()];
  const { group } = await conversationsOf(fixture);
  const [photo, thumbnailId, foreignContent] = [randomUUID(), randomUUID(), randomUUID()] as const;
  const [phone, watchClient] = [await connect(fixture.owner), await connect(fixture.watchPrincipal, otherNode)];
  await publishContentEvent('mcdisk.content.added', foreign.family.familyId, [foreignContent]);
  // The second check of the files waits for the event, because the service repeats the check for only one second.
  const contents = serviceOf(CloudContentRepository);
  const containsAll = contents.containsAll.bind(contents);
  const added = Promise.withResolvers<void>();
  const check = jest.spyOn(contents, 'containsAll').mockImplementationOnce(containsAll);
  check.mockImplementation(async (...parameters) => {
    await added.promise;
    return containsAll(...parameters);
  });
  const earlyResponse = phone.send('ChatImageMessage', imagePayload(group, photo, thumbnailId));
  await waitUntil('the second check of the files', () => check.mock.calls.length > 1);
  await publishContentEvent('mcdisk.content.added', fixture.family.familyId, [photo, thumbnailId]);
  added.resolve();
  check.mockRestore();
  expect(await earlyResponse).toMatchObject({ ok: true, conversationSeq: 1 });
  await waitForKind(watchClient, 'ChatImageMessage');
  expect(watchClient.messagesOfKind('ChatImageMessage')).toMatchObject([
    { payload: { contentID: photo, thumbnail: thumbnailId } },
  ]);
  const [foreignResponse, ...others] = await Promise.all(
    [[foreignContent], [photo, foreignContent], [randomUUID()]].map(([id = '', thumbnail]) =>
      phone.send('ChatImageMessage', imagePayload(group, id, thumbnail)),
    ),
  );
  expect(foreignResponse).toMatchObject({ ok: false, reason: 'CONTENT_NOT_FOUND' });
  for (const response of others) expect(response).toEqual(foreignResponse);
  const voice = { clientMsgId: randomUUID(), conversationId: group, contentID: thumbnailId, duration: 60_001 };
  expect(await watchClient.send('ChatVoiceMessage', voice)).toMatchObject({ reason: 'VALIDATION_FAILED' });
  expect(await watchClient.send('ChatVoiceMessage', { ...voice, duration: 900 })).toMatchObject({ ok: true });
});

test('a client can send files that were restored from the recycle bin, but not files that were purged', async () => {
  const fixture = await createFamily();
  const { familyId } = fixture.family;
  const { group } = await conversationsOf(fixture);
  const [restored, purged] = [randomUUID(), randomUUID()] as const;
  const isSent = (id: string) => sendInRequest(fixture.owner, imagePayload(group, id));
  await publishContentEvent('mcdisk.content.added', familyId, [restored, purged]);
  await publishContentEvent('mcdisk.content.recycled', familyId, [restored, purged]);
  expect(await isSent(restored)).toBe('CONTENT_NOT_FOUND');
  await publishContentEvent('mcdisk.content.restored', familyId, [restored, purged]);
  expect(await isSent(restored)).toBe('ok');
  // The purged event arrives without a preceding recycled event, which may be late, or missing after the outbox was
  // read again.
  await publishContentEvent('mcdisk.content.purged', familyId, [purged]);
  expect([await isSent(purged), await isSent(restored)]).toEqual(['CONTENT_NOT_FOUND', 'ok']);
});

test('a chat message grants a friend access to its files until it expires, and a recall ends the grant', async () => {
  const { first, second, conversationId } = await createFriends();
  const { familyId } = first.family;
  const [photo, thumbnailId] = [randomUUID(), randomUUID()] as const;
  await publishContentEvent('mcdisk.content.added', familyId, [photo, thumbnailId]);
  const watchClient = await connect(first.watchPrincipal);
  const sent = await watchClient.send('ChatImageMessage', imagePayload(conversationId, photo, thumbnailId));
  expect(sent).toMatchObject({ ok: true });
  const messageId = 'id' in sent ? String(sent.id) : '';
  const [grant, ...otherGrants] = await node.outboxPayloadsOf<{ messageId: string; expiresAt: number }>(
    'gateway.media.granted',
  );
  expect(otherGrants).toEqual([]);
  expect(grant).toMatchObject({
    messageId,
    familyId,
    contentIDs: [photo, thumbnailId],
    fromCid: first.cid,
    toCid: second.cid,
    toFamilyId: second.family.familyId,
  });
  expect((grant?.expiresAt ?? 0) - environment.clock.now()).toBeLessThanOrEqual(90 * 24 * 60 * 60_000);
  expect((await callerOf(first.watchPrincipal, otherNode).post('recall', { messageId })).status).toBe(200);
  expect(await node.outboxPayloadsOf('gateway.media.grant-ended')).toEqual([{ messageId, familyId }]);
});
