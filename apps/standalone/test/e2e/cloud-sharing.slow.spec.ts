import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture, waitForConversation } from '../support/family-fixture.js';
import { CLOUD_PATH, expectOk, type HttpClient } from '../support/http-client.js';
import { Parent } from '../support/parent.js';
import { TestService } from '../support/test-service.js';
import { Watch } from '../support/watch.js';

const MESSAGE_PATH = '/apis/v2/message/';
const CONTACT_ROLE = 4;

describe('access to a family cloud from outside the family', () => {
  let service: TestService;
  let mia: FamilyFixture;
  let leo: FamilyFixture;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    [mia, leo] = await Promise.all([FamilyFixture.create(service), FamilyFixture.create(service)]);
  });
  afterEach(() => {
    for (const fixture of [mia, leo]) fixture.disconnectAll();
  });

  const ask = (client: HttpClient, cloudID: string, contentID: string) =>
    client.post<{ data: { downloadURL: string }; reason?: string }>(`${CLOUD_PATH}getFileDownLoadURL`, {
      cloudID,
      contentID,
    });
  const open = (address: string) => fetch(`${service.url}${new URL(address).pathname}`);

  /** Sends a picture from Mia's watch. Resolves when Leo's watch has received the picture. */
  async function sendPicture(
    conversationId: string,
    [from, to]: [TestClient, TestClient],
  ): Promise<{ contentID: string; messageId: string }> {
    const contentID = await mia.storeFile('photo.jpg', Buffer.from('a picture'));
    const picture = { clientMsgId: randomUUID(), conversationId, contentID, width: 4, height: 3 };
    await waitUntil('the service accepts the picture', async () => (await from.send('ChatImageMessage', picture)).ok);
    await to.waitFor(() => to.messagesOfKind('ChatImageMessage').length > 0, 'the picture');
    const [message] = to.messagesOfKind('ChatImageMessage');
    if (!message) throw new Error('There is no picture');
    return { contentID, messageId: message.id };
  }

  async function sendPictureToFriend(): Promise<{
    ids: { applicationId: string; contentID: string; messageId: string };
    address: string;
  }> {
    const applicationId = await mia.befriend(leo);
    const conversationId = await waitForConversation(mia.watch, 'FRIENDS');
    const picture = await sendPicture(conversationId, [await mia.watch.connect(), await leo.watch.connect()]);
    const address = await waitUntilFound('the grant in mcdisk', async () => {
      const { status, body } = await ask(leo.watch, leo.familyId, picture.contentID);
      return status === 200 ? body.data.downloadURL : undefined;
    });
    const opened = await open(address);
    expect([opened.status, await opened.text()]).toEqual([200, 'a picture']);
    return { ids: { applicationId, ...picture }, address };
  }

  const waitUntilAccessDenied = (address: string) =>
    waitUntil('the URL returns 404', async () => (await open(address)).status === 404);

  test("only the friend's watch can download a sent picture, until the message is recalled", async () => {
    const { ids, address } = await sendPictureToFriend();
    const third = await FamilyFixture.create(service);
    for (const [client, cloudID] of [
      [third.watch, third.familyId],
      [leo.owner, leo.familyId],
      [leo.guardian, leo.familyId],
    ] as const) {
      expect(await ask(client, cloudID, ids.contentID)).toMatchObject({ body: { reason: 'CONTENT_NOT_FOUND' } });
    }
    const foreign = await ask(leo.watch, mia.familyId, ids.contentID);
    expect(foreign).toMatchObject({ body: { reason: 'CLOUD_NOT_FOUND' } });
    await expectOk(mia.watch.post(`${MESSAGE_PATH}recall`, { messageId: ids.messageId }));
    await waitUntilAccessDenied(address);
    expect(await ask(leo.watch, leo.familyId, ids.contentID)).toMatchObject({
      body: { reason: 'CONTENT_NOT_FOUND' },
    });
    third.disconnectAll();
  });

  test.each(['delete', 'block'])(
    'access to sent pictures ends when the friendship ends (device/friends/%s)',
    async (end) => {
      const { ids, address } = await sendPictureToFriend();
      const { applicationId } = ids;
      await expectOk(mia.owner.post(`device/friends/${end}`, { did: mia.watch.did, applicationId }));
      await waitUntilAccessDenied(address);
      expect(await ask(leo.watch, leo.familyId, ids.contentID)).toMatchObject({
        body: { reason: 'CONTENT_NOT_FOUND' },
      });
    },
  );

  test("after the friend's watch is replaced, only the new watch can download a sent picture", async () => {
    const { ids, address } = await sendPictureToFriend();
    const { owner, watch, cid } = leo;
    await expectOk(owner.post('device/unbind', { did: watch.did, stepUp: await owner.stepUp() }));
    await waitUntilAccessDenied(address);
    const next = await Watch.enrolAndBind(owner, cid);
    const again = await waitUntilFound('the new watch has access', async () => {
      const answer = await ask(next, leo.familyId, ids.contentID);
      return answer.status === 200 ? answer.body.data.downloadURL : undefined;
    });
    expect(await (await open(again)).text()).toBe('a picture');
    next.disconnectAll();
  });

  test('a contact can download shared files until the share is revoked', async () => {
    const { owner, familyId: cloudID } = mia;
    const grandma = await Parent.signUp(service);
    await owner.addMember(grandma, { role: CONTACT_ROLE });
    const contentID = await mia.storeFile('photo.jpg', Buffer.from('a picture'));
    const request = { cloudID, userId: grandma.userId, contentIDList: [contentID] };
    const authorizationID = await waitUntilFound('the service accepts the share with the contact', async () => {
      const answer = await owner.post<{ data: { authorizationID: string } }>(`${CLOUD_PATH}authorize`, request);
      return answer.status === 200 ? answer.body.data.authorizationID : undefined;
    });
    const listed = () =>
      expectOk(
        grandma.post<{ data: { totalCount: number; cloudContentList: { contentID: string }[] } }>(
          `${CLOUD_PATH}queryContentList`,
          { cloudID },
        ),
      );
    expect((await listed()).data).toMatchObject({ totalCount: 1, cloudContentList: [{ contentID }] });
    const address = `${service.url}${await mia.linkTo(contentID, grandma)}`;
    expect(await (await open(address)).text()).toBe('a picture');
    await expectOk(owner.post(`${CLOUD_PATH}revokeAuthorization`, { cloudID, authorizationID }));
    expect((await open(address)).status).toBe(404);
    expect((await listed()).data).toMatchObject({ totalCount: 0 });
    grandma.disconnectAll();
  });
});
