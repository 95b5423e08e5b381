import type { EmojiCode } from './emoji.js';

/** A picture, video or voice message whose file must be uploaded before the message is sent. */
export interface MediaDraft {
  readonly kind: 'ChatImageMessage' | 'ChatVideoMessage' | 'ChatVoiceMessage';
  readonly file: File;
  /** Address of the file in this page. */
  readonly previewUrl: string;
  /** Pixels; absent for voice. */
  readonly width?: number;
  readonly height?: number;
  /** Milliseconds; absent for pictures. */
  readonly duration?: number;
}

export type Draft =
  | { readonly kind: 'ChatTextMessage'; readonly text: string }
  | { readonly kind: 'ChatEmojiMessage'; readonly emoji: EmojiCode }
  | MediaDraft;

/** A message that the service has not confirmed. It keeps its `clientMsgId`, so that a repetition is stored once. */
export interface PendingMessage {
  readonly clientMsgId: string;
  readonly conversationId: string;
  readonly draft: Draft;
  /** Cloud of the conversation, to which a file is uploaded. */
  readonly cloudID?: string | undefined;
  /** FAILED: the person decides what happens, unless only the connection was missing. WAITING: the page sends it as soon as it can. */
  readonly state: 'UPLOADING' | 'WAITING' | 'SENDING' | 'FAILED';
  /** Uploaded part of the file, 0 to 1. */
  readonly progress: number;
  /** The uploaded file. */
  readonly contentID?: string;
  /** Why the last attempt did not succeed. */
  readonly error?: unknown;
}

export type OutboxAction =
  | {
      readonly type: 'added';
      readonly message: Pick<PendingMessage, 'clientMsgId' | 'conversationId' | 'draft' | 'cloudID'>;
    }
  | { readonly type: 'progressed'; readonly clientMsgId: string; readonly progress: number }
  | { readonly type: 'uploaded'; readonly clientMsgId: string; readonly contentID: string }
  | { readonly type: 'sending'; readonly clientMsgId: string }
  /** The attempt failed; it is repeated without the person. */
  | { readonly type: 'delayed'; readonly clientMsgId: string; readonly error: unknown }
  | { readonly type: 'failed'; readonly clientMsgId: string; readonly error: unknown }
  | { readonly type: 'retried'; readonly clientMsgId: string }
  /** The service has confirmed the message, or the person has discarded it. */
  | { readonly type: 'removed'; readonly clientMsgId: string };

/** The messages in the order in which the person wrote them. */
export function outboxReducer(messages: readonly PendingMessage[], action: OutboxAction): readonly PendingMessage[] {
  switch (action.type) {
    case 'added':
      return [...messages, { ...action.message, state: initialState(action.message.draft), progress: 0 }];
    case 'progressed':
      return update(messages, action, { progress: action.progress });
    case 'uploaded':
      return update(messages, action, { state: 'WAITING', progress: 1, contentID: action.contentID });
    case 'sending':
      return update(messages, action, { state: 'SENDING' });
    case 'delayed':
      return update(messages, action, { state: 'WAITING', error: action.error });
    case 'failed':
      return update(messages, action, { state: 'FAILED', error: action.error });
    case 'retried':
      return messages.map((message) => {
        if (message.clientMsgId !== action.clientMsgId) return message;
        const state = message.contentID === undefined ? initialState(message.draft) : 'WAITING';
        return { ...message, state, error: undefined };
      });
    case 'removed':
      return messages.filter(({ clientMsgId }) => clientMsgId !== action.clientMsgId);
  }
}

/**
 * Returns the message of a conversation to send next: the first one that is ready. Messages are sent one at a time, so
 * that they are stored in the order in which they were written; a file that is being uploaded lets later ones pass.
 */
export function nextToSend(messages: readonly PendingMessage[], conversationId: string): PendingMessage | undefined {
  const ofConversation = messages.filter((message) => message.conversationId === conversationId);
  if (ofConversation.some(({ state }) => state === 'SENDING')) return undefined;
  return ofConversation.find(({ state }) => state === 'WAITING');
}

export function isMediaMessage(draft: Draft): draft is MediaDraft {
  return 'file' in draft;
}

function initialState(draft: Draft): PendingMessage['state'] {
  return isMediaMessage(draft) ? 'UPLOADING' : 'WAITING';
}

function update(
  messages: readonly PendingMessage[],
  { clientMsgId }: { clientMsgId: string },
  changes: Partial<PendingMessage>,
): readonly PendingMessage[] {
  return messages.map((message) => (message.clientMsgId === clientMsgId ? { ...message, ...changes } : message));
}
