import { useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import type { Session } from '../../app/session/session-store.js';
import { useSession } from '../../app/session/use-session.js';
import { Outbox } from './outbox.js';
import type { PendingMessage } from './outbox-state.js';

const outboxes = new WeakMap<Session, Outbox>();

function outboxOf(session: Session, queries: QueryClient): Outbox {
  const existing = outboxes.get(session);
  if (existing) return existing;
  const outbox = new Outbox(session, queries);
  outboxes.set(session, outbox);
  return outbox;
}

/** The outbox of the session, and the messages of one conversation in it. */
export function useOutbox(conversationId: string): { outbox: Outbox; pending: readonly PendingMessage[] } {
  const outbox = outboxOf(useSession(), useQueryClient());
  const messages = useSyncExternalStore(outbox.subscribe, outbox.get);
  const pending = useMemo(
    () => messages.filter((message) => message.conversationId === conversationId),
    [messages, conversationId],
  );
  return { outbox, pending };
}
