import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { PushService, SubscriptionCategory } from '../../messages/contracts/subscription.js';

/** The apps whose event bus and job queues operators see. */
export const APP_NAME = { USERCTX: 'userctx', MCDISK: 'mcdisk', GATEWAY: 'gateway' } as const;
export type AppName = (typeof APP_NAME)[keyof typeof APP_NAME];

/** Maximum number of dead letters in one request. */
export const MAX_DEAD_LETTERS = 100;

/** The rows of a job that are due. */
export interface JobQueueDepth {
  job: string;
  /** Counts up to 1,000. */
  due: number;
  /** When the oldest of these rows became due, Unix milliseconds; null if none is due or has a due time. */
  oldestDueAt: number | null;
}

/** What waits in one app. */
export interface AppStatus {
  /** An {@link AppName}. */
  app: string;
  /** Unpublished events; counts up to 10,000 per partition. */
  unpublished: number;
  /** Age of the oldest unpublished event, milliseconds. */
  publicationDelayMs: number;
  /** Events in the retry queue; counts up to 100,000. */
  retries: number;
  /** Counts up to 100,000. */
  deadLetters: number;
  /** Empty if the database was queried outside of the app. */
  queues: JobQueueDepth[];
}

/** A dead letter without the payload of its event, which may contain personal data. */
export interface DeadLetterSummary {
  /** Decimal text; later dead letters have greater ids. */
  deadLetterId: string;
  handler: string;
  /** Null for bytes that are no event, as eventId and key. */
  eventName: string | null;
  eventId: string | null;
  /** Id of the family or principal whose events the handler processes in order. */
  key: string | null;
  /** Number of bytes, for bytes that are no event; they cannot be replayed. */
  rawBytes: number | null;
  attempts: number;
  /** Unix milliseconds. */
  deadLetteredAt: number;
  /** First line of the last error, at most 200 characters. */
  lastError: string | null;
}

export interface DeadLetterQuery {
  /** Returns only dead letters of this handler. */
  handler: string | null;
  /** Returns only dead letters with a greater id; null for the first page. */
  after: string | null;
  limit: number;
}

/** What operators see and repair in one app. The methods may be called on every process of the app. */
export interface AppAdministration {
  getStatus(): Promise<AppStatus>;
  /** Returns dead letters in the order of their ids. */
  listDeadLetters(query: DeadLetterQuery): Promise<DeadLetterSummary[]>;
  /**
   * Moves events back to the retry queue of their handler, which processes them out of order.
   * @returns for each id whether it was a dead letter with an event
   */
  replayDeadLetters(ids: readonly string[]): Promise<boolean[]>;
  /** Deletes dead letters. Returns for each id whether it existed. */
  dropDeadLetters(ids: readonly string[]): Promise<boolean[]>;
  /** Publishes the events again that were appended since `time` (Unix milliseconds). Returns their number. */
  republishSince(time: number): Promise<number>;
}

/** Maximum number of principals in one diagnosis: the members and watches of the largest family are fewer. */
export const MAX_DIAGNOSED_PRINCIPALS = 100;

/** Maximum number of connections, of sessions and of push registrations in one diagnosis. */
export const MAX_DIAGNOSED_ROWS = 500;

/** An open connection. Times are Unix milliseconds. */
export interface DiagnosedConnection {
  sessionId: string;
  /** Process of the gateway that has the connection. */
  nodeId: string;
  since: number;
}

/** How far a session has acknowledged its mailbox. Times are Unix milliseconds. */
export interface DiagnosedSession {
  sessionId: string;
  acknowledged: number;
  lastSeenAt: number;
  /** When the oldest unacknowledged message that has not expired was stored; null if there is none. */
  oldestUnacknowledgedAt: number | null;
}

/** A push token of a session, without the token. */
export interface DiagnosedPushRegistration {
  sessionId: string;
  service: PushService;
  /** Unix milliseconds. */
  registeredAt: number;
}

/** Notifications that wait until they are sent. */
export interface DiagnosedPushQueue {
  waiting: number;
  /** The highest number of attempts of a waiting notification. */
  attempts: number;
  /** Unix milliseconds; null if no notification waits. */
  nextAttemptAt: number | null;
}

/** States and counts that show why a principal does not receive its messages, without any content. */
export interface PrincipalDelivery {
  principal: PrincipalKey;
  connections: DiagnosedConnection[];
  /** Sequence number of the newest message in the mailbox; 0 if it never received a message. */
  mailboxHead: number;
  sessions: DiagnosedSession[];
  pushRegistrations: DiagnosedPushRegistration[];
  pushQueue: DiagnosedPushQueue;
  /** Categories of which the person has disabled notifications. */
  pushDisabled: SubscriptionCategory[];
}

/** Events of the family or the principals that a handler of the gateway has not processed. */
export interface BlockedDeliveries {
  handler: string;
  /** Events in the retry queue; later events of the same key wait for them. Counts up to 1,000. */
  retries: number;
  /** Dead letters. Counts up to 1,000. */
  deadLetters: number;
}

export interface DeliveryDiagnosis {
  principals: PrincipalDelivery[];
  blocked: BlockedDeliveries[];
  /**
   * Projections of the family that may be outdated, so that deliveries which depend on them are withheld; null if the
   * database was queried outside of the gateway.
   */
  unknownProjections: string[] | null;
}

export interface DeliveryDiagnosisRequest {
  familyId: string | null;
  principals: PrincipalKey[];
}

/** Diagnoses deliveries; implemented by the gateway. Also the injection token, because it is not known to userctx. */
export abstract class DeliveryDiagnosisSource {
  abstract diagnose(request: DeliveryDiagnosisRequest): Promise<DeliveryDiagnosis>;
}
