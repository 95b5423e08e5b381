import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { conversationIdsOf } from '../support/access/conversation-ids.js';
import { CommunicationScenario, waitForOutcome } from '../support/communication-scenario.js';
import { FamilyFixture, waitForConversation } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import { TestService } from '../support/test-service.js';
import { describeBothDeployments } from '../support/deployments.js';

const MESSAGE_PATH = '/apis/v2/message/';

describeBothDeployments('chat in a family', (deployment) => {
  let service: TestService;
  let fixture: FamilyFixture;

  beforeAll(async () => {
    service = await TestService.shared(deployment);
    fixture = await FamilyFixture.create(service);
  });
  afterAll(() => service.stop());

  test('a parent and a watch exchange messages and a photo of the family cloud', async () => {
    const { owner, watch } = fixture;
    const conversationId = await waitForConversation(watch, 'DIRECT', owner);
    const [phone, wrist] = [await owner.connect(), await watch.connect()];
    const ids = { clientMsgId: randomUUID(), conversationId };
    expect(await phone.send('ChatTextMessage', { ...ids, text: 'Where are you?' })).toMatchObject({ ok: true });
    const photo = { ...ids, contentID: await fixture.storeFile(), width: 4, height: 3 };
    const sent = await waitUntilFound('the service accepts the photo', async () => {
      const response = await wrist.send('ChatImageMessage', photo);
      return response.ok ? response : undefined;
    });
    expect(sent).toMatchObject({ conversationSeq: 2 });
    await wrist.waitFor(() => wrist.messagesOfKind('ChatTextMessage').length > 0, 'the question');
    await phone.waitFor(() => phone.messagesOfKind('ChatImageMessage').length > 0, 'the photo');
    expect(phone.messagesOfKind('ChatImageMessage')).toMatchObject([
      { from: { type: 'watch', id: String(watch.did) }, cid: fixture.cid, payload: { contentID: photo.contentID } },
    ]);
    await expectOk(
      watch.post(`${MESSAGE_PATH}read/mark`, {
        conversationId,
        messageId: wrist.messagesOfKind('ChatTextMessage')[0]?.id,
      }),
    );
    await phone.waitFor(() => phone.messagesOfKind('AckMessage').some(isRead), 'the receipt');
    phone.close();
    wrist.close();
  });

  test('a removed member can neither send nor receive messages in the family group', async () => {
    const { owner, guardian, familyId } = fixture;
    const scenario = new CommunicationScenario(fixture);
    const { conversationId } = await conversationIdsOf(fixture);
    const [phone, theirs] = [await owner.connect(), await guardian.connect()];
    const say = (text: string) => phone.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text });
    await say('before');
    await theirs.waitFor(() => theirs.messagesOfKind('ChatTextMessage').length > 0, 'the text');
    const receivedBefore = theirs.messagesOfKind('ChatTextMessage').length;
    await expectOk(owner.post('family/member/remove', { familyId, userId: guardian.userId }));
    await waitForOutcome(service, 'text of the removed member', 'CONVERSATION_NOT_FOUND', (url) =>
      scenario.sendText(guardian.at(url), conversationId),
    );
    expect(await say('after')).toMatchObject({ ok: true });
    const answer = await theirs.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text: 'x' });
    expect(answer).toMatchObject({ ok: false, reason: 'CONVERSATION_NOT_FOUND' });
    const history = await guardian.get(`${MESSAGE_PATH}history/get`, { conversationId });
    expect(history.status).toBe(404);
    await sleep(300);
    expect(theirs.messagesOfKind('ChatTextMessage')).toHaveLength(receivedBefore);
    phone.close();
    theirs.close();
  });
});

function isRead({ payload }: { payload: unknown }): boolean {
  return (payload as { status: string }).status === 'READ';
}
