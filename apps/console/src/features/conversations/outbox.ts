import { ApiError, isRetryable, NetworkError } from '@family-watch/client';
import type { QueryClient } from '@tanstack/react-query';
import type { Session } from '../../core/session/session-store.js';
import { UnfinishedWork } from '../../core/session/unfinished-work.js';
import { uploadFile } from '../../core/family-cloud/upload.js';
import {
  isMediaMessage,
  nextToSend,
  outboxReducer,
  type Draft,
  type MediaDraft,
  type OutboxAction,
  type PendingMessage,
  type RestoredMessage,
} from './outbox-state.js';
import { addToHistory } from './queries.js';
import { toRestored, toStored, type StoredMessage } from './stored-message.js';

const RETRY_DELAY_MS = 5_000;
const CHANGES_TO_KEEP = new Set<OutboxAction['type']>(['added', 'uploaded', 'failed', 'retried', 'detached']);

/** What the person has typed in a conversation and not sent. */
export interface UnsentText {
  readonly text: string;
  /** Id of the message that the text answers. */
  readonly quoteOf?: string | undefined;
}

const NOTHING_UNSENT: UnsentText = { text: '' };

/**
 * The messages of a person that the service has not confirmed, and the texts that the person has not sent. It lives as
 * long as the session, so that messages are sent although the person has left the conversation, and after a lost
 * connection. The browser keeps the messages and texts, so that the next page continues if this one is closed.
 */
export class Outbox {
  private messages: readonly PendingMessage[] = [];
  private readonly listeners = new Set<() => void>();
  private readonly uploads = new Map<string, AbortController>();
  private readonly unsent = new Map<string, UnsentText>();
  private readonly kept: UnfinishedWork<StoredMessage>;
  private hasRestored = false;

  constructor(
    private readonly session: Session,
    private readonly queries: QueryClient,
  ) {
    this.kept = new UnfinishedWork(session, 'message');
    session.gateway.on('connected', () => {
      for (const message of this.messages)
        if (message.state === 'FAILED' && message.error instanceof NetworkError) this.retry(message);
      this.sendAll();
    });
    void this.restore();
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  readonly get = (): readonly PendingMessage[] => this.messages;

  /** Returns whether the messages and texts of an earlier page are here. */
  readonly isRestored = (): boolean => this.hasRestored;

  unsentOf(conversationId: string): UnsentText {
    return this.unsent.get(conversationId) ?? NOTHING_UNSENT;
  }

  setUnsent(conversationId: string, changes: Partial<UnsentText>): void {
    const { storage } = this.session;
    const changed = { ...this.unsentOf(conversationId), ...changes };
    this.unsent.set(conversationId, changed);
    // Without storage, the text lives as long as the page.
    if (changed.text === '' && changed.quoteOf === undefined) void storage.delete('text', conversationId);
    else storage.set('text', conversationId, { conversationId, ...changed }).catch(() => undefined);
    this.notify();
  }

  /** @param cloudID the cloud of the conversation; only media needs it */
  add(conversationId: string, draft: Draft, cloudID: string | undefined): void {
    this.addAfter([], conversationId, draft, cloudID);
  }

  /** Adds files and, if it is not empty, their caption, which is a text after them. */
  addFiles(conversationId: string, drafts: readonly MediaDraft[], caption: string, cloudID: string | undefined): void {
    const ids = drafts.map((draft) => this.addAfter([], conversationId, draft, cloudID));
    if (caption.trim() !== '')
      this.addAfter(ids, conversationId, { kind: 'ChatTextMessage', text: caption }, undefined);
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
    const caption = this.messages.find(({ after }) => after?.includes(clientMsgId));
    const after = caption?.after?.filter((id) => id !== clientMsgId);
    if (!caption || !after) return;
    if (after.length === 0) this.discard(caption);
    else this.dispatch({ type: 'detached', clientMsgId: caption.clientMsgId, after });
    void this.sendNext(caption.conversationId);
  }

  private addAfter(
    after: readonly string[],
    conversationId: string,
    draft: Draft,
    cloudID: string | undefined,
  ): string {
    const clientMsgId = crypto.randomUUID();
    const message = { clientMsgId, conversationId, writtenAt: Date.now(), draft, cloudID };
    const added = after.length === 0 ? message : { ...message, after };
    this.dispatch({ type: 'added', message: added });
    this.proceed(added);
    return clientMsgId;
  }

  private async restore(): Promise<void> {
    const unsent = await this.session.storage.list<UnsentText & { conversationId: string }>('text');
    for (const { conversationId, ...text } of unsent) this.unsent.set(conversationId, text);
    await this.kept.restore(
      (stored) => this.adopt(toRestored(stored)),
      (one, other) => one.writtenAt - other.writtenAt,
    );
    this.hasRestored = true;
    this.notify();
    for (const message of this.messages) if (message.state !== 'FAILED') this.proceed(message);
  }

  /** Continues a message of a page that was closed. */
  private adopt(message: RestoredMessage): void {
    this.dispatch({ type: 'restored', message });
    if (this.hasRestored && message.error === undefined) this.proceed(message);
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
    if (!message || this.session.ended.aborted) return;
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
      // An earlier page has sent it: nobody else knows its id. The files differ if that page also uploaded it.
      if (error instanceof ApiError && error.reason === 'CLIENT_MSG_ID_REUSED') this.confirm(message);
      else this.dispatch({ type: 'failed', clientMsgId, error });
    }
    await this.sendNext(conversationId);
  }

  private async send(message: PendingMessage): Promise<void> {
    const { clientMsgId, conversationId, draft, contentID } = message;
    const { kind, ...content } = isMediaMessage(draft) ? mediaContent(draft, contentID) : draft;
    const sent = await this.session.client.messages.send({ kind, clientMsgId, conversationId, ...content });
    const payload = { clientMsgId, conversationId, ...content };
    const from = { type: 'user' as const, id: this.session.userId };
    addToHistory(this.queries, conversationId, { ...sent, kind, from, cid: null, payload });
    this.confirm(message);
  }

  private confirm({ clientMsgId, draft }: PendingMessage): void {
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
    this.store(action);
    this.notify();
  }

  /** Stores what a later page must know of the change. */
  private store(action: OutboxAction): void {
    if (action.type === 'removed') void this.kept.forget(action.clientMsgId);
    if (!CHANGES_TO_KEEP.has(action.type)) return;
    const clientMsgId = 'message' in action ? action.message.clientMsgId : action.clientMsgId;
    const message = this.messages.find((each) => each.clientMsgId === clientMsgId);
    if (message) this.kept.keep(toStored(message)).catch(() => this.dispatch({ type: 'notKept', clientMsgId }));
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Returns the draft without what is valid only in this page. */
function mediaContent({ file: _, previewUrl: __, ...content }: MediaDraft, contentID?: string) {
  return { ...content, contentID };
}
