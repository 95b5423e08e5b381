import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import type { Session } from '../../core/session/session-store.js';
import { useSession } from '../../core/session/use-session.js';
import { Outbox } from './outbox.js';
import type { PendingMessage } from './outbox-state.js';

const outboxes = new WeakMap<Session, Outbox>();

/** Returns the outbox of a session, which begins to send what an earlier page has not sent. */
export function outboxOf(session: Session, queries: QueryClient): Outbox {
  const existing = outboxes.get(session);
  if (existing) return existing;
  const outbox = new Outbox(session, queries);
  outboxes.set(session, outbox);
  return outbox;
}

/** The outbox of the session, what it has of one conversation, and whether what an earlier page has kept is there. */
export function useOutbox(conversationId: string): {
  outbox: Outbox;
  pending: readonly PendingMessage[];
  isRestored: boolean;
  /** Id of the message that the next one answers. */
  quoteOf: string | undefined;
} {
  const outbox = outboxOf(useSession(), useQueryClient());
  const messages = useSyncExternalStore(outbox.subscribe, outbox.get);
  const isRestored = useSyncExternalStore(outbox.subscribe, outbox.isRestored);
  const quoteOf = useSyncExternalStore(outbox.subscribe, () => outbox.unsentOf(conversationId).quoteOf);
  const pending = useMemo(
    () => messages.filter((message) => message.conversationId === conversationId),
    [messages, conversationId],
  );
  return { outbox, pending, isRestored, quoteOf };
}
