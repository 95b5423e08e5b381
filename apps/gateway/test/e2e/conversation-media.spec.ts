import { expect, jest, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { CloudContentRepository } from '../../src/contexts/conversations/media/cloud-content.repository.js';
import { conversationsOf } from '../support/conversations.js';
import {
  callerOf,
  connect,
  createFamily,
  environment,
  node,
  otherNode,
  startGateway,
} from '../support/suite-gateway.js';

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
  const contents = node.app.get(CloudContentRepository, { strict: false });
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
  await watchClient.waitFor(() => watchClient.messagesOfKind('ChatImageMessage').length > 0, 'the image');
  expect(watchClient.messagesOfKind('ChatImageMessage')).toMatchObject([
    { payload: { contentID: photo, thumbnail: thumbnailId } },
  ]);
  const notFound = await phone.send('ChatImageMessage', imagePayload(group, foreignContent));
  expect(notFound).toMatchObject({ ok: false, reason: 'CONTENT_NOT_FOUND' });
  expect(await phone.send('ChatImageMessage', imagePayload(group, photo, foreignContent))).toEqual(notFound);
  expect(await phone.send('ChatImageMessage', imagePayload(group, randomUUID()))).toEqual(notFound);
  await publishContentEvent('mcdisk.content.recycled', fixture.family.familyId, [photo]);
  expect(await phone.send('ChatImageMessage', imagePayload(group, photo))).toEqual(notFound);
  const voice = { clientMsgId: randomUUID(), conversationId: group, contentID: thumbnailId, duration: 60_001 };
  expect(await watchClient.send('ChatVoiceMessage', voice)).toMatchObject({ reason: 'VALIDATION_FAILED' });
  expect(await watchClient.send('ChatVoiceMessage', { ...voice, duration: 900 })).toMatchObject({ ok: true });
});

test('a client can send files that were restored from the recycle bin, but not files that were purged', async () => {
  const fixture = await createFamily();
  const { familyId } = fixture.family;
  const { group } = await conversationsOf(fixture);
  const [restored, purged] = [randomUUID(), randomUUID()] as const;
  const phone = await connect(fixture.owner);
  await publishContentEvent('mcdisk.content.added', familyId, [restored, purged]);
  await publishContentEvent('mcdisk.content.recycled', familyId, [restored, purged]);
  expect(await phone.send('ChatImageMessage', imagePayload(group, restored))).toMatchObject({
    reason: 'CONTENT_NOT_FOUND',
  });
  await publishContentEvent('mcdisk.content.restored', familyId, [restored, purged]);
  expect(await phone.send('ChatImageMessage', imagePayload(group, restored))).toMatchObject({ ok: true });
  // The purged event arrives without a preceding recycled event, which may be late, or missing after the outbox was
  // read again.
  await publishContentEvent('mcdisk.content.purged', familyId, [purged]);
  expect(await phone.send('ChatImageMessage', imagePayload(group, purged))).toMatchObject({
    reason: 'CONTENT_NOT_FOUND',
  });
  expect(await phone.send('ChatImageMessage', imagePayload(group, restored))).toMatchObject({ ok: true });
});

test('a chat message grants a friend access to its files until it expires, and a recall ends the grant', async () => {
  const families = [await createFamily(), await createFamily()] as const;
  const [first, second] = families;
  const { familyId } = first.family;
  const sides = families.map(({ family, cid, did }) => ({ familyId: family.familyId, cid, did })) as [never, never];
  const friendship = { friendshipId: randomUUID(), version: 1, active: true, time: environment.clock.now(), sides };
  await environment.publish({ name: 'userctx.friendship.changed', key: familyId, payload: friendship });
  const caller = callerOf(first.watchPrincipal, otherNode);
  const { body: conversations } = await caller.get('conversation/list');
  const friends = (conversations['items'] as { type: string; conversationId: string }[]).find(
    ({ type }) => type === 'FRIENDS',
  );
  const [photo, thumbnailId] = [randomUUID(), randomUUID()] as const;
  await publishContentEvent('mcdisk.content.added', familyId, [photo, thumbnailId]);
  const watchClient = await connect(first.watchPrincipal);
  const sent = await watchClient.send(
    'ChatImageMessage',
    imagePayload(friends?.conversationId ?? '', photo, thumbnailId),
  );
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
  expect((await caller.post('recall', { messageId })).status).toBe(200);
  expect(await node.outboxPayloadsOf('gateway.media.grant-ended')).toEqual([{ messageId, familyId }]);
});
