import { expect, jest, test } from '@jest/globals';
import { QueryClient } from '@tanstack/react-query';
import type { Session } from '../../app/session/session-store.js';
import { Outbox } from './outbox.js';
import { historyQuery } from './queries.js';

test('adds a sent message to the history with the time that the service has stored', async () => {
  const sent = { id: 'm1', conversationSeq: 1, time: 5_000 };
  const client = { messages: { send: jest.fn(async () => sent) } };
  const session = { client, gateway: { on: () => undefined }, userId: 'mother' } as unknown as Session;
  const queries = new QueryClient();
  const { queryKey } = historyQuery(session, 'c', queries);
  queries.setQueryData(queryKey, { messages: [], earlierCursor: null });
  const outbox = new Outbox(session, queries);
  const isSent = new Promise<void>((resolve) => outbox.subscribe(() => outbox.get().length === 0 && resolve()));
  outbox.add('c', { kind: 'ChatTextMessage', text: 'Hi' }, undefined);
  await isSent;
  expect(queries.getQueryData(queryKey)?.messages).toMatchObject([{ ...sent, payload: { text: 'Hi' } }]);
});
