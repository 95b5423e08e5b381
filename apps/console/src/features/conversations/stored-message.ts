import { ApiError } from '@family-watch/client';
import { isMediaMessage, type PendingMessage, type RestoredMessage } from './outbox-state.js';

/** A message as the browser stores it: without what is valid only in one page. */
export interface StoredMessage extends Pick<
  PendingMessage,
  'conversationId' | 'writtenAt' | 'cloudID' | 'contentID' | 'after'
> {
  /** The `clientMsgId`. */
  readonly id: string;
  /** The draft without its file and without the address of the file in the page. */
  readonly draft: object;
  readonly file?: File;
  /** Why the service has rejected the message. The person decides what happens. */
  readonly rejection?: ConstructorParameters<typeof ApiError>[0];
}

export function toStored({ clientMsgId: id, draft, error, ...message }: PendingMessage): StoredMessage {
  const { conversationId, writtenAt, cloudID, contentID, after } = message;
  const stored = { id, conversationId, writtenAt, cloudID, contentID, after, rejection: toRejection(error) };
  if (!isMediaMessage(draft)) return { ...stored, draft };
  const { file, previewUrl: _, ...rest } = draft;
  return { ...stored, draft: rest, file };
}

export function toRestored({ id, draft, file, rejection, ...message }: StoredMessage): RestoredMessage {
  const restored = file ? { ...draft, file, previewUrl: URL.createObjectURL(file) } : draft;
  return {
    ...message,
    clientMsgId: id,
    draft: restored as RestoredMessage['draft'],
    ...(rejection && { error: new ApiError(rejection) }),
  };
}

/** Without a connection, a message is sent again by itself. */
function toRejection(error: unknown): StoredMessage['rejection'] {
  if (!(error instanceof ApiError)) return undefined;
  const { status, code, reason, message, details, retryAfter } = error;
  return { status, code, reason, message, details, retryAfter };
}
