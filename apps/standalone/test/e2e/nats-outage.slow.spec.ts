import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from '@jest/globals';
import { TcpProxy } from '@family-watch/testing/network/tcp-proxy';
import { natsUrl } from '@family-watch/testing/service/nats-url';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { describeDistributed } from '../support/deployments.js';
import { FamilyFixture, waitForConversation } from '../support/family-fixture.js';
import { CLOUD_PATH, expectOk, type HttpClient } from '../support/http-client.js';
import { TestService } from '../support/test-service.js';

const MESSAGE_PATH = '/apis/v2/message/';

// The apps reach NATS through a proxy of this suite, which can make NATS unreachable for them.
describeDistributed('an outage of NATS', (deployment) => {
  let proxy: TcpProxy;
  let service: TestService;
  let fixture: FamilyFixture;

  beforeAll(async () => {
    const { hostname: host, port, username, password } = new URL(natsUrl);
    proxy = await TcpProxy.start({ host, port: Number(port || 4222) });
    const credentials = username ? `${username}:${password}@` : '';
    service = await TestService.start(deployment, { NATS_URL: `nats://${credentials}127.0.0.1:${proxy.port}` });
  });
  afterAll(async () => {
    await service.stop();
    await proxy.close();
  });
  beforeEach(async () => {
    fixture = await FamilyFixture.create(service);
  });
  afterEach(async () => {
    fixture.disconnectAll();
    proxy.unblock();
    await waitUntil('connected apps', async () => (await readiness()).every((text) => text === '{"status":"ok"}'));
  });

  const readiness = () =>
    Promise.all(service.processUrls.map(async (url) => (await fetch(`${url}/health/ready`)).text()));

  async function disconnect(): Promise<void> {
    proxy.block();
    await waitUntil('disconnected apps', async () =>
      (await readiness()).every((text) => text === '{"status":"degraded","degraded":["event bus: not connected"]}'),
    );
  }

  const listChildren = (person: HttpClient) => person.get('child/get');
  const listConversations = (person: HttpClient) => person.get(`${MESSAGE_PATH}conversation/list`);
  const listClouds = (person: HttpClient) => person.post(`${CLOUD_PATH}queryFamilyCloud`, {});

  test('requests succeed, sockets stay open and messages arrive on both nodes', async () => {
    const { owner, guardian, watch } = fixture;
    const conversationId = await waitForConversation(fixture.owner, 'FAMILY');
    const sockets = [await owner.connect(), await guardian.connect(), await watch.connect()];
    const [sender] = sockets;
    await disconnect();
    // While NATS is unreachable, the apps receive the end of a session from userctx over HTTP.
    const secondPhone = await owner.signInOnSecondPhone();
    for (const list of [listChildren, listConversations, listClouds])
      expect((await list(secondPhone)).status).toBe(200);
    await expectOk(secondPhone.post('account/sign-out', {}));
    for (const list of [listChildren, listConversations, listClouds])
      await waitUntil('the end of the session', async () => (await list(secondPhone)).status === 401);
    for (const list of [listChildren, listConversations, listClouds]) expect((await list(owner)).status).toBe(200);

    const text = { clientMsgId: randomUUID(), conversationId, text: 'Where are you?' };
    expect(await sender?.send('ChatTextMessage', text)).toMatchObject({ ok: true });
    for (const socket of sockets.slice(1))
      await socket.waitFor(() => socket.messagesOfKind('ChatTextMessage').length === 1, 'the message');
    expect(sockets.map(({ disconnectReason }) => disconnectReason)).toEqual(sockets.map(() => undefined));
  });

  test('a member who is removed during the outage loses access to messages and files', async () => {
    const { owner, guardian, familyId } = fixture;
    const conversationId = await waitForConversation(fixture.owner, 'FAMILY');
    const [sender, removed] = [await owner.connect(), await guardian.connect()];
    await disconnect();
    await expectOk(owner.post('family/member/remove', { familyId, userId: guardian.userId }));
    const files = () => guardian.post(`${CLOUD_PATH}queryContentList`, { cloudID: familyId });
    await waitUntil('the end of access to files', async () => (await files()).status === 404);
    await waitUntil('the end of access to messages', async () => {
      const { body } = await guardian.get<{ items: unknown[] }>(`${MESSAGE_PATH}conversation/list`);
      return body.items.length === 0;
    });
    const text = { clientMsgId: randomUUID(), conversationId, text: 'Only for the family' };
    expect(await sender.send('ChatTextMessage', text)).toMatchObject({ ok: true });
    expect(await removed.send('ChatTextMessage', { ...text, clientMsgId: randomUUID() })).toMatchObject({ ok: false });
    expect(removed.messagesOfKind('ChatTextMessage')).toEqual([]);
  });

  test('apps reject requests and close sockets only when userctx does not respond either', async () => {
    const { owner, watch } = fixture;
    const socket = await watch.connect();
    await disconnect();
    await service.distributed.kill('userctx');
    await socket.waitForDisconnect();
    await waitUntil('rejected requests', async () => {
      const answers = [await listConversations(owner), await listClouds(owner)];
      return answers.every(({ status, text }) => status === 503 && text.includes('REVOCATIONS_STALE'));
    });
    proxy.unblock();
    await service.distributed.restart('userctx');
    await waitUntil('accepted requests', async () => (await listConversations(owner)).status === 200);
  });
});
