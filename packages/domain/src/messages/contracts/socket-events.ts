import type { PointResult } from '../../locations/contracts/validate-point.js';
import type { ErrorReason } from '../../kernel/contracts/error-catalogue.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { ErrorDetail } from '../../kernel/contracts/service-error.js';
import type { ChatKind, ChatPayloads, ChatSendResult } from './chat.js';
import type { MessagesFrame } from './envelope.js';
import type {
  AckPayload,
  HeartbeatPayload,
  LocationReportPayload,
  WatchShutdownReport,
  WatchStartupReport,
} from './payloads.js';

/** Version of the message contract, said in `hello`. */
export const MESSAGE_CONTRACT_VERSION = 2;

/** What a client hands over when it connects. Tokens never travel in an address. */
export interface SocketAuth {
  token: string;
  /** Number of the last durable message the client has; absent means what the service has stored for the session. */
  last?: number;
  /** The `epoch` that `last` was counted in. */
  epoch?: number;
}

/**
 * When to come back after this connection ends: at a random moment between the two, milliseconds from its end. It
 * grows with the number of clients that would come back together.
 */
export interface ReconnectAdvice {
  minDelay: number;
  maxDelay: number;
}

/** The first event of every connection. */
export interface Hello {
  version: typeof MESSAGE_CONTRACT_VERSION;
  principal: PrincipalKey;
  sessionId: string;
  /** Number of the newest message in the mailbox. */
  head: number;
  /** Changes only if numbering was reset; what was counted in another epoch means nothing any more. */
  epoch: number;
  /** Seconds. */
  heartbeatInterval: number;
  /** Unix milliseconds. */
  serverTime: number;
  /** The wanted start is not kept any more, or never was: what follows starts at the oldest message kept. */
  reset?: true;
  reconnect: ReconnectAdvice;
}

/** `data` of a `connect_error`. */
export interface HandshakeErrorData {
  code: number;
  reason: ErrorReason;
  /** Seconds after which a new try makes sense. */
  retryAfter?: number;
}

/** Something was wrong; the connection stays as it is. */
export interface ErrorResponse {
  ok: false;
  code: number;
  reason: ErrorReason;
  message: string;
  details?: ErrorDetail[];
  /** Seconds after which a new try makes sense. */
  retryAfter?: number;
}

/** Said only when what was sent is on disk. `time`: Unix milliseconds. */
export type SuccessResponse<More extends object = object> = { ok: true; time: number } & More;

export type EventResponse<More extends object = object> = SuccessResponse<More> | ErrorResponse;

/** Answers of events that make a message have its id. */
export interface SendResult {
  id: string;
}

type Send<Payload, More extends object = object> = (
  payload: Payload,
  answer: (answer: EventResponse<More>) => void,
) => void;

export interface ServerToClientEvents {
  hello: (hello: Hello) => void;
  messages: (frame: MessagesFrame) => void;
  /** The service is about to end the connection; the newer advice counts. */
  reconnect: (advice: ReconnectAdvice) => void;
}

type ChatEvents = { [Kind in ChatKind]: Send<ChatPayloads[Kind], ChatSendResult> };

/** One event per kind that clients send, named by the kind, and the renewal of the token. */
export interface ClientToServerEvents extends ChatEvents {
  token: Send<{ token: string }, { expiresAt: number }>;
  HeartbeatMessage: Send<HeartbeatPayload>;
  AckMessage: Send<AckPayload>;
  LocationPointChangeMessage: Send<LocationReportPayload, SendResult & { points: PointResult[] }>;
  WristwatchStartupNoticeMessage: Send<WatchStartupReport, SendResult>;
  WristwatchShutdownNoticeMessage: Send<WatchShutdownReport, SendResult>;
}
