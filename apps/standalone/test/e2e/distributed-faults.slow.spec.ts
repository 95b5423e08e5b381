import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { GatewayClient, NetworkError, RefreshingTokenSource } from '@family-watch/client';
import type { ChatTextPayload, WithConversationSeq } from '@family-watch/domain/messages/contracts/chat';
import { waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { declareDatabaseOutageTests } from '../support/database-outage-tests.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk, type HttpClient } from '../support/http-client.js';
import { TestService } from '../support/test-service.js';
import { describeDistributed } from '../support/deployments.js';
import { declareUnprocessedEventTests } from '../support/unprocessed-event-tests.js';

const FAMILY_COUNT = 4;
const MESSAGES = 60;

/** A member or a watch that uses the client of the SDK and records received chat messages. */
class ChatParticipant {
  readonly receivedTexts: WithConversationSeq<ChatTextPayload>[] = [];
  readonly gaps: unknown[] = [];
  readonly client: GatewayClient;
  connectionCount = 0;

  constructor(url: string, token: string) {
    const tokens = new RefreshingTokenSource({
      initialToken: { accessToken: token, expiresIn: 600 },
      requestToken: () => Promise.reject(new Error('The first token lasts')),
    });
    this.client = new GatewayClient({ url, tokens });
    this.client.on('connected', () => (this.connectionCount += 1));
    this.client.on('gap', (gap) => this.gaps.push(gap));
    this.client.onMessage('ChatTextMessage', ({ payload }) => this.receivedTexts.push(payload));
    this.client.start();
  }

  /** Sends the message, with retries until it is acknowledged. */
  async send(payload: ChatTextPayload): Promise<void> {
    for (;;) {
      try {
        await this.client.whenConnected();
        await this.client.send('ChatTextMessage', payload);
        return;
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error;
      }
    }
  }
}

function familyConversationOf(http: HttpClient): Promise<string> {
  return waitUntilFound('the family group', async () => {
    const { items } = await expectOk(
      http.get<{ items: { conversationId: string; type: string; members: unknown[] }[] }>(
        '/apis/v2/message/conversation/list',
      ),
    );
    return items.find(({ type, members }) => type === 'FAMILY' && members.length === 3)?.conversationId;
  });
}

// The suite kills one of two gateways and makes the database of separate processes unreachable.
describeDistributed('faults of a distributed service', (deployment) => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(deployment, { COMPARISON_INTERVAL: 1 });
  });
  afterAll(() => service.stop());

  describe('a killed gateway', () => {
    const groups: { conversationId: string; sender: ChatParticipant; receivers: ChatParticipant[] }[] = [];

    beforeAll(async () => {
      for (let number = 0; number < FAMILY_COUNT; number += 1) {
        const fixture = await FamilyFixture.create(service);
        const conversationId = await familyConversationOf(fixture.owner);
        const listen = ({ token = '' }: HttpClient) => new ChatParticipant(service.url, token);
        groups.push({
          conversationId,
          sender: listen(fixture.owner),
          receivers: [fixture.guardian, fixture.watch].map(listen),
        });
      }
      await Promise.all(allParticipants().map(({ client }) => client.whenConnected()));
    }, 540_000);

    afterAll(() => {
      for (const { client } of allParticipants()) client.stop();
    });

    function allParticipants(): ChatParticipant[] {
      return groups.flatMap(({ sender, receivers }) => [sender, ...receivers]);
    }

    /** Returns the number of connections of each running node. */
    async function connectionsByNode(): Promise<number[]> {
      const rows = await service.query<{ count: number }>(
        `SELECT count(connection_id)::int AS count FROM gateway.node LEFT JOIN gateway.connection USING (node_id)
         GROUP BY node_id ORDER BY 1`,
      );
      return rows.map(({ count }) => count);
    }

    test('loses and duplicates no message, and its clients reconnect to the other node', async () => {
      const all = allParticipants().length;
      const spread = await connectionsByNode();
      expect(spread).toHaveLength(2);
      expect(spread.reduce((sum, count) => sum + count)).toBe(all);
      expect(Math.min(...spread)).toBeGreaterThan(0);

      const texts = Array.from({ length: MESSAGES }, (_, index) => `message ${index}`);
      const sending = Promise.all(
        groups.map(async ({ conversationId, sender }) => {
          for (const text of texts) await sender.send({ clientMsgId: randomUUID(), conversationId, text });
        }),
      );
      await waitUntil('the first eleven messages', () =>
        groups.every(({ receivers }) => receivers.every(({ receivedTexts }) => receivedTexts.length > 10)),
      );
      await service.distributed.kill('gateway-1');
      await sending;

      for (const { receivers } of groups) {
        for (const receiver of receivers) {
          await waitUntil('all messages', () => receiver.receivedTexts.length >= MESSAGES);
          expect(receiver.receivedTexts.map(({ text }) => text)).toEqual(texts);
          expect(receiver.gaps).toEqual([]);
        }
      }
      expect(allParticipants().filter(({ connectionCount }) => connectionCount > 1).length).toBeGreaterThan(0);
      expect(allParticipants().filter(({ connectionCount }) => connectionCount === 1).length).toBeGreaterThan(0);
      // When the lease of the killed node expires, its connections are removed.
      await waitUntil('one node', async () => (await connectionsByNode()).join() === String(all));
    }, 360_000);

    test('causes no report of a shutdown for a watch that has reconnected', async () => {
      const lost = await service.query(`SELECT FROM gateway.outbox WHERE name = 'gateway.watch.shut-down'`);
      expect(lost).toEqual([]);
    });

    test('accepts connections after its restart, and messages are delivered between the nodes', async () => {
      await service.distributed.restart('gateway-1');
      const before = allParticipants().map(({ connectionCount }) => connectionCount);
      for (const { client } of allParticipants()) client.stop();
      await waitUntil('nobody', async () => (await connectionsByNode()).every((count) => count === 0));
      for (const { client } of allParticipants()) client.start();
      await Promise.all(allParticipants().map(({ client }) => client.whenConnected()));
      expect(allParticipants().map(({ connectionCount }) => connectionCount)).toEqual(before.map((count) => count + 1));
      expect(Math.min(...(await connectionsByNode()))).toBeGreaterThan(0);
      for (const { conversationId, sender, receivers } of groups) {
        await sender.send({ clientMsgId: randomUUID(), conversationId, text: 'again' });
        for (const receiver of receivers)
          await waitUntil('the last message', () => receiver.receivedTexts.at(-1)?.text === 'again');
      }
    });
  });

  describe('a database outage', () => declareDatabaseOutageTests(() => service));

  describe('events that cannot be stored', () => declareUnprocessedEventTests(() => service));
});
