/** What a message answers. */
interface Answer {
  /** Id of the answered message. */
  readonly quoteOf?: string;
}

export interface TextDraft extends Answer {
  readonly kind: 'ChatTextMessage';
  readonly text: string;
}

/** A picture, video or voice message whose file must be uploaded before the message is sent. */
export interface MediaDraft extends Answer {
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

export type Draft = TextDraft | MediaDraft;

/** A message that the service has not confirmed. It keeps its `clientMsgId`, so that a repetition is stored once. */
export interface PendingMessage {
  readonly clientMsgId: string;
  readonly conversationId: string;
  /** Unix milliseconds. */
  readonly writtenAt: number;
  readonly draft: Draft;
  /** The `clientMsgId` of each file of which this text is the caption: it is sent after them. */
  readonly after?: readonly string[] | undefined;
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
  /** Set if the browser could not store the message, which is then lost with the page. */
  readonly isNotKept?: boolean;
}

/** A message of an earlier page. Its error is set if the person decides what happens. */
export type RestoredMessage = Omit<PendingMessage, 'state' | 'progress' | 'isNotKept'>;

export type OutboxAction =
  | {
      readonly type: 'added';
      readonly message: Pick<
        PendingMessage,
        'clientMsgId' | 'conversationId' | 'writtenAt' | 'draft' | 'cloudID' | 'after'
      >;
    }
  /** The message of an earlier page, from the storage of the browser. */
  | { readonly type: 'restored'; readonly message: RestoredMessage }
  | { readonly type: 'notKept'; readonly clientMsgId: string }
  | { readonly type: 'progressed'; readonly clientMsgId: string; readonly progress: number }
  | { readonly type: 'uploaded'; readonly clientMsgId: string; readonly contentID: string }
  | { readonly type: 'sending'; readonly clientMsgId: string }
  /** The attempt failed; it is repeated without the person. */
  | { readonly type: 'delayed'; readonly clientMsgId: string; readonly error: unknown }
  | { readonly type: 'failed'; readonly clientMsgId: string; readonly error: unknown }
  | { readonly type: 'retried'; readonly clientMsgId: string }
  /** The person has discarded a file, of which the message is not the caption any more. */
  | { readonly type: 'detached'; readonly clientMsgId: string; readonly after: readonly string[] }
  /** The service has confirmed the message, or the person has discarded it. */
  | { readonly type: 'removed'; readonly clientMsgId: string };

/** The messages in the order in which the person wrote them. */
export function outboxReducer(messages: readonly PendingMessage[], action: OutboxAction): readonly PendingMessage[] {
  switch (action.type) {
    case 'added':
      return [...messages, { ...action.message, state: readyState(action.message), progress: 0 }];
    case 'restored': {
      const { message } = action;
      const state = message.error === undefined ? readyState(message) : 'FAILED';
      return [...messages, { ...message, state, progress: 0 }].sort((a, b) => a.writtenAt - b.writtenAt);
    }
    case 'notKept':
      return update(messages, action, { isNotKept: true });
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
        return { ...message, state: readyState(message), error: undefined };
      });
    case 'detached':
      return update(messages, action, { after: action.after });
    case 'removed':
      return messages.filter(({ clientMsgId }) => clientMsgId !== action.clientMsgId);
  }
}

/**
 * Returns the message of a conversation to send next: the first one that is ready. Messages are sent one at a time, so
 * that they are stored in the order in which they were written; a file that is being uploaded lets later ones pass, but
 * not its caption.
 */
export function nextToSend(messages: readonly PendingMessage[], conversationId: string): PendingMessage | undefined {
  const ofConversation = messages.filter((message) => message.conversationId === conversationId);
  if (ofConversation.some(({ state }) => state === 'SENDING')) return undefined;
  const unsent = new Set(ofConversation.map(({ clientMsgId }) => clientMsgId));
  return ofConversation.find(({ state, after }) => state === 'WAITING' && !after?.some((id) => unsent.has(id)));
}

export function isMediaMessage(draft: Draft): draft is MediaDraft {
  return 'file' in draft;
}

function readyState({ draft, contentID }: Pick<PendingMessage, 'draft' | 'contentID'>): PendingMessage['state'] {
  return isMediaMessage(draft) && contentID === undefined ? 'UPLOADING' : 'WAITING';
}

function update(
  messages: readonly PendingMessage[],
  { clientMsgId }: { clientMsgId: string },
  changes: Partial<PendingMessage>,
): readonly PendingMessage[] {
  return messages.map((message) => (message.clientMsgId === clientMsgId ? { ...message, ...changes } : message));
}
