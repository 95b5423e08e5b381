/** What is known of a mailbox when a session opens it. */
export interface MailboxState {
  /** Number of the newest message. */
  head: number;
  /** Number of the newest message that retention has deleted; 0 while nothing was. */
  pruned: number;
  epoch: number;
  /** What the session has acknowledged; `null` for a session that is new here. */
  acknowledged: number | null;
}

/** What the client says it has: `last` and, if it knows it, the epoch that it was counted in. */
export interface ClientCursor {
  last?: number;
  epoch?: number;
}

export interface ResumePoint {
  /** Durable messages after this number are delivered. */
  from: number;
  /** The wanted start is gone or never was; delivery begins at the oldest message kept. */
  reset: boolean;
}

/**
 * Where delivery begins: after the client's `last`, else after what its session has acknowledged, else (a new
 * session) at the head, because older things come from REST.
 */
export function resolveResumePoint(mailbox: MailboxState, client: ClientCursor): ResumePoint {
  const { head, pruned, epoch, acknowledged } = mailbox;
  const counted = client.epoch === undefined || client.epoch === epoch;
  const wanted = client.last ?? acknowledged;
  if (wanted === null) return { from: head, reset: false };
  if (client.last !== undefined && !counted) return { from: pruned, reset: true };
  if (wanted > head || wanted < pruned) return { from: pruned, reset: true };
  return { from: wanted, reset: false };
}
