import { localDay } from '../../ui/format.js';
import type { ChatMessage } from './history.js';
import type { PendingMessage } from './outbox-state.js';

/** A row of the list of messages. */
export type Row =
  | { readonly type: 'day'; readonly key: string; readonly time: number }
  | { readonly type: 'message'; readonly key: string; readonly message: ChatMessage }
  | { readonly type: 'pending'; readonly key: string; readonly pending: PendingMessage };

/** Returns the rows from the first message to the last one: a day before its first message, unconfirmed ones last. */
export function rowsOf(
  messages: readonly ChatMessage[],
  pending: readonly PendingMessage[],
  dayOf: (time: number) => string = localDay,
): Row[] {
  const rows: Row[] = [];
  let lastDay: string | undefined;
  for (const message of messages) {
    const day = dayOf(message.time);
    if (day !== lastDay) rows.push({ type: 'day', key: `day:${day}`, time: message.time });
    lastDay = day;
    rows.push({ type: 'message', key: message.id, message });
  }
  for (const each of pending) rows.push({ type: 'pending', key: each.clientMsgId, pending: each });
  return rows;
}
