import { ApiError, isRetryable, NetworkError } from '@family-watch/client';
import type { QueryClient } from '@tanstack/react-query';
import type { Session } from '../../app/session/session-store.js';
import { uploadFile } from '../family-cloud/upload.js';
import { isMediaMessage, nextToSend, outboxReducer } from './outbox-state.js';
import type { Draft, OutboxAction, PendingMessage } from './outbox-state.js';
import { addToHistory } from './queries.js';

const RETRY_DELAY_MS = 5_000;

/**
 * The messages of a session that the service has not confirmed. It lives as long as the session, so that messages are
 * sent although the person has left the conversation, and after a lost connection.
 */
export class Outbox {
  private messages: readonly PendingMessage[] = [];
  private readonly listeners = new Set<() => void>();
  private readonly uploads = new Map<string, AbortController>();
  /** What the person has typed and not sent, by conversation. */
  readonly texts = new Map<string, string>();

  constructor(
    private readonly session: Session,
    private readonly queries: QueryClient,
  ) {
    session.gateway.on('connected', () => {
      for (const message of this.messages)
        if (message.state === 'FAILED' && message.error instanceof NetworkError) this.retry(message);
      this.sendAll();
    });
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  readonly get = (): readonly PendingMessage[] => this.messages;

  /** @param cloudID the cloud of the conversation; only media needs it */
  add(conversationId: string, draft: Draft, cloudID: string | undefined): void {
    const message = { clientMsgId: crypto.randomUUID(), conversationId, draft, cloudID };
    this.dispatch({ type: 'added', message });
    this.proceed(message);
  }

  retry(message: PendingMessage): void {
    this.dispatch({ type: 'retried', clientMsgId: message.clientMsgId });
    this.proceed(message);
  }

  /** Ends the upload of a message, or removes one that could not be sent. */
  discard({ clientMsgId, draft }: PendingMessage): void {
    this.uploads.get(clientMsgId)?.abort();
    if (isMediaMessage(draft)) URL.revokeObjectURL(draft.previewUrl);
    this.dispatch({ type: 'removed', clientMsgId });
  }

  private proceed({
    clientMsgId,
    conversationId,
    draft,
    cloudID,
    contentID,
  }: Omit<PendingMessage, 'state' | 'progress'>): void {
    if (isMediaMessage(draft) && contentID === undefined && cloudID !== undefined)
      void this.upload(clientMsgId, conversationId, draft.file, cloudID);
    else void this.sendNext(conversationId);
  }

  private async upload(clientMsgId: string, conversationId: string, file: File, cloudID: string): Promise<void> {
    const abort = new AbortController();
    this.uploads.set(clientMsgId, abort);
    try {
      const contentID = await uploadFile(this.session.client, cloudID, file, {
        signal: abort.signal,
        onProgress: (progress) => this.dispatch({ type: 'progressed', clientMsgId, progress }),
      });
      this.dispatch({ type: 'uploaded', clientMsgId, contentID });
      void this.queries.invalidateQueries({ queryKey: ['album'] });
    } catch (error) {
      if (!abort.signal.aborted) this.dispatch({ type: 'failed', clientMsgId, error });
    } finally {
      this.uploads.delete(clientMsgId);
    }
    await this.sendNext(conversationId);
  }

  private async sendNext(conversationId: string): Promise<void> {
    const message = nextToSend(this.messages, conversationId);
    if (!message) return;
    const { clientMsgId } = message;
    this.dispatch({ type: 'sending', clientMsgId });
    try {
      await this.send(message);
    } catch (error) {
      if (isRetryable(error)) {
        this.dispatch({ type: 'delayed', clientMsgId, error });
        const seconds = error instanceof ApiError ? error.retryAfter : undefined;
        setTimeout(() => void this.sendNext(conversationId), seconds ? seconds * 1_000 : RETRY_DELAY_MS);
        return;
      }
      this.dispatch({ type: 'failed', clientMsgId, error });
    }
    await this.sendNext(conversationId);
  }

  private async send({ clientMsgId, conversationId, draft, contentID }: PendingMessage): Promise<void> {
    const { kind, ...content } = isMediaMessage(draft) ? mediaContent(draft, contentID) : draft;
    const sent = await this.session.client.messages.send({ kind, clientMsgId, conversationId, ...content });
    const payload = { clientMsgId, conversationId, ...content };
    const from = { type: 'user' as const, id: this.session.userId };
    addToHistory(this.queries, conversationId, { ...sent, kind, from, cid: null, payload });
    this.dispatch({ type: 'removed', clientMsgId });
    if (isMediaMessage(draft)) URL.revokeObjectURL(draft.previewUrl);
    void this.queries.invalidateQueries({ queryKey: ['conversations', 'list'] });
  }

  private sendAll(): void {
    for (const conversationId of new Set(this.messages.map((message) => message.conversationId)))
      void this.sendNext(conversationId);
  }

  private dispatch(action: OutboxAction): void {
    this.messages = outboxReducer(this.messages, action);
    for (const listener of this.listeners) listener();
  }
}

function mediaContent({ kind, width, height, duration }: Extract<Draft, { file: File }>, contentID?: string) {
  return { kind, contentID, ...(width === undefined ? {} : { width, height }), ...(duration ? { duration } : {}) };
}
