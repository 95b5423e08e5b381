import { expect, test } from '@jest/globals';
import type { ChatMessage } from './history.js';
import type { PendingMessage } from './outbox-state.js';
import { rowsOf } from './rows.js';

const message = (id: string, time: number) => ({ id, time }) as ChatMessage;
const day = (time: number) => String(Math.floor(time / 100));

test('begins each day with its date and ends with unconfirmed messages', () => {
  const pending = [{ clientMsgId: 'p' } as PendingMessage];
  const rows = rowsOf([message('a', 10), message('b', 20), message('c', 110)], pending, day);
  expect(rows.map(({ type, key }) => [type, key])).toEqual([
    ['day', 'day:0'],
    ['message', 'a'],
    ['message', 'b'],
    ['day', 'day:1'],
    ['message', 'c'],
    ['pending', 'p'],
  ]);
});
