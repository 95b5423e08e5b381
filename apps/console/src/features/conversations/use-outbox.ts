import type { SentPayload } from '@family-watch/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../../app/session/use-session.js';

/** The content of a chat message that this page can send. */
export type Draft =
  | { kind: 'ChatTextMessage'; text: string }
  | { kind: 'ChatEmojiMessage'; emoji: SentPayload<'ChatEmojiMessage'>['emoji'] };

/** A message that the service has not confirmed. Messages keep their id, so that a repetition is stored once. */
export interface PendingMessage {
  clientMsgId: string;
  draft: Draft;
  /** Set when the last attempt has failed. */
  error?: unknown;
}

/** Sends messages in the order in which they were written, and keeps those that were not sent. */
export function useOutbox(conversationId: string) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [pending, setPending] = useState<readonly PendingMessage[]>([]);

  const attempt = async ({ clientMsgId, draft }: PendingMessage): Promise<void> => {
    try {
      await client.messages.send({ conversationId, clientMsgId, ...draft });
      await queries.invalidateQueries({ queryKey: ['conversations'] });
      setPending((messages) => messages.filter((message) => message.clientMsgId !== clientMsgId));
    } catch (error) {
      setPending((messages) =>
        messages.map((message) => (message.clientMsgId === clientMsgId ? { ...message, error } : message)),
      );
    }
  };
  const send = (draft: Draft): void => {
    const message = { clientMsgId: crypto.randomUUID(), draft };
    setPending((messages) => [...messages, message]);
    void attempt(message);
  };
  const retry = (message: PendingMessage): void => {
    setPending((messages) =>
      messages.map((each) => (each === message ? { clientMsgId: each.clientMsgId, draft: each.draft } : each)),
    );
    void attempt(message);
  };
  return { pending, send, retry };
}
