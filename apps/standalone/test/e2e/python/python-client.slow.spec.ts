import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture, waitForConversation } from '../../support/family-fixture.js';
import { PythonClient } from '../../support/python-client.js';
import { TestService } from '../../support/test-service.js';
import { needs } from '@family-watch/testing/requirements/needs';

const PASSWORD = 'seven quiet herons';

needs('python-socketio').describe('the third-party client python-socketio', () => {
  let service: TestService;
  let fixture: FamilyFixture;
  let conversationId: string;
  let watch: TestClient;
  /**
   * A phone of the same person that stays connected, so that it receives every message that the Python client must
   * receive.
   */
  let phone: TestClient;
  const clients: PythonClient[] = [];

  beforeAll(async () => {
    service = await TestService.shared('standalone');
    fixture = await FamilyFixture.create(service, { password: PASSWORD });
    [watch, phone] = await Promise.all([fixture.watch.connect(), fixture.owner.connect()]);
    conversationId = await waitForConversation(fixture.watch, 'DIRECT', fixture.owner);
  });

  afterAll(async () => {
    for (const client of clients) await client.kill();
    fixture.disconnectAll();
    await service.stop();
  });

  async function startClient(): Promise<PythonClient> {
    const { phoneNumber } = fixture.owner;
    const client = await PythonClient.signIn(service.url, { areaCode: '+86', phoneNumber, password: PASSWORD });
    clients.push(client);
    return client;
  }

  async function sendTextsFromWatch(...texts: string[]): Promise<void> {
    for (const text of texts) {
      const answer = await watch.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text });
      expect(answer).toMatchObject({ ok: true });
    }
    await phone.waitFor(() => textsOf(phone.durable).includes(texts.at(-1) ?? ''), 'the last text on the phone');
  }

  test('a Python client receives exactly the missed messages after a kill and after a disconnection', async () => {
    const first = await startClient();
    const { epoch } = await first.connect();
    const payload = { clientMsgId: randomUUID(), conversationId, text: 'hello from Python' };
    const sent = await first.send('ChatTextMessage', payload);
    expect(sent).toMatchObject({ ok: true, id: expect.any(String) });
    expect({ ...(await first.send('ChatTextMessage', payload)), time: 0 }).toEqual({ ...sent, time: 0 });
    expect(await first.send('ChatTextMessage', {})).toMatchObject({ ok: false, reason: 'VALIDATION_FAILED' });
    await watch.waitFor(() => textsOf(watch.durable).length === 1, 'the text on the watch');
    expect(textsOf(watch.durable)).toEqual(['hello from Python']);
    await sendTextsFromWatch('one', 'two');
    await first.waitUntil(() => textsOf(first.durable).includes('two'), 'the answers');

    const { last } = first;
    await first.kill();
    await sendTextsFromWatch('three', 'four', 'five');
    const second = await startClient();
    const hello = await second.connect({ last, epoch });
    expect(hello.reset).toBeUndefined();
    await expectMissed(second, last);
    expect(textsOf(second.durable)).toEqual(['three', 'four', 'five']);

    await second.disconnect();
    const left = second.last;
    const before = second.durable.length;
    await sendTextsFromWatch('six', 'seven');
    await second.connect();
    await expectMissed(second, left, before);
    expect(textsOf(second.durable.slice(before))).toEqual(['six', 'seven']);
    await sendTextsFromWatch('eight');
    await second.waitUntil(() => textsOf(second.durable).includes('eight'), 'the new text');
    expect(textsOf(second.durable)).toEqual(['three', 'four', 'five', 'six', 'seven', 'eight']);
    expect(second.outputs.filter(({ what }) => what === 'gap' || what === 'refused')).toEqual([]);
  });

  /** Checks that `client.durable` has, from index `from`, every message after sequence number `last`, in order. */
  async function expectMissed(client: PythonClient, last: number, from = 0): Promise<void> {
    const idsOf = (messages: TestClient['messages']) => messages.map(({ seq, id }) => ({ seq, id }));
    await waitFor(() => {
      // For a moment, the phone and the Python client may have received different numbers of messages.
      const wanted = phone.durable.filter(({ seq = 0 }) => seq > last);
      expect(idsOf(client.durable.slice(from))).toEqual(idsOf(wanted));
    });
  }
});

function textsOf(messages: TestClient['messages']): string[] {
  return messages.flatMap(({ kind, payload }) =>
    kind === 'ChatTextMessage' ? (payload as { text: string }).text : [],
  );
}
