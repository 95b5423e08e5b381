import type { PointResult } from '../../locations/contracts/validate-point.js';
import type { ErrorReason } from '../../kernel/contracts/error-catalogue.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { ErrorDetail } from '../../kernel/contracts/service-error.js';
import type { ChatKind, ChatPayloads, ChatSendResult } from './chat.js';
import type { MessagesFrame } from './message-kinds.js';
import type {
  AckPayload,
  HeartbeatPayload,
  HeartbeatResult,
  LocationReportPayload,
  WatchShutdownReport,
  WatchStartupReport,
} from './payloads.js';

/** Version of the message contract, sent in `hello`. */
export const MESSAGE_CONTRACT_VERSION = 2;

/** Handshake data of a client. Tokens are never part of a URL. */
export interface SocketAuth {
  token: string;
  /**
   * Sequence number of the last durable message that the client received; if omitted, the number stored for the session
   * applies.
   */
  last?: number;
  /** Epoch of the mailbox to which `last` belongs, from `hello`. */
  epoch?: number;
}

/**
 * When a client should reconnect after its connection has ended: after a random delay between `minDelay` and
 * `maxDelay`, in milliseconds. The more clients would reconnect at the same time, the longer are the delays that the
 * service sends.
 */
export interface ReconnectAdvice {
  minDelay: number;
  maxDelay: number;
}

/** The first event of every connection. A watch checks for firmware after it (`tool/firmware/check`). */
export interface Hello {
  version: typeof MESSAGE_CONTRACT_VERSION;
  principal: PrincipalKey;
  sessionId: string;
  /** Sequence number of the newest message in the mailbox. */
  head: number;
  /**
   * Epoch of the mailbox; changes only when the numbering of the mailbox is reset. Sequence numbers of another epoch
   * are invalid.
   */
  epoch: number;
  /** Seconds between two heartbeats that the client must send. */
  heartbeatInterval: number;
  /** Current time of the service, Unix milliseconds. */
  serverTime: number;
  /**
   * Set if the service cannot continue after `last`, because the next message is no longer stored or `last` is unknown.
   * Delivery then starts with the oldest stored message.
   */
  reset?: true;
  reconnect: ReconnectAdvice;
}

/** Why the service rejected a connection: `data` of the Socket.IO event `connect_error`. */
export interface HandshakeErrorData {
  code: number;
  reason: ErrorReason;
  details?: ErrorDetail[];
  /** Seconds after which the client may retry. */
  retryAfter?: number;
}

/** Response to an event that failed. The connection remains open. */
export interface ErrorResponse {
  ok: false;
  code: number;
  reason: ErrorReason;
  message: string;
  details?: ErrorDetail[];
  /** Seconds after which the client may retry. */
  retryAfter?: number;
}

/**
 * Response to an event that succeeded, sent after the event has been stored. `time`: time of the service, Unix ms; for a
 * chat message, the time of the message.
 */
export type SuccessResponse<Extra extends object = object> = { ok: true; time: number } & Extra;
export type EventResponse<Extra extends object = object> = SuccessResponse<Extra> | ErrorResponse;

/** Fields in the response to an event that creates a message. `id`: the id of the message. */
export interface SendResult {
  id: string;
}

type SendEvent<Payload, Extra extends object = object> = (
  payload: Payload,
  respond: (response: EventResponse<Extra>) => void,
) => void;

export interface ServerToClientEvents {
  hello: (hello: Hello) => void;
  messages: (frame: MessagesFrame) => void;
  /** Announces that the service will close the connection. The advice replaces the advice of `hello`. */
  reconnect: (advice: ReconnectAdvice) => void;
}

type ChatEvents = { [Kind in ChatKind]: SendEvent<ChatPayloads[Kind], ChatSendResult> };

/**
 * One event per message kind that clients send, named like the kind, and the event `token`, which refreshes the access
 * token.
 */
export interface ClientToServerEvents extends ChatEvents {
  token: SendEvent<{ token: string }, { expiresAt: number }>;
  HeartbeatMessage: SendEvent<HeartbeatPayload, HeartbeatResult>;
  AckMessage: SendEvent<AckPayload>;
  LocationPointChangeMessage: SendEvent<LocationReportPayload, SendResult & { points: PointResult[] }>;
  WristwatchStartupNoticeMessage: SendEvent<WatchStartupReport, SendResult>;
  WristwatchShutdownNoticeMessage: SendEvent<WatchShutdownReport, SendResult>;
}
