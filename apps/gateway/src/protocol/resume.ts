/** State of a mailbox when a session opens it. */
export interface MailboxState {
  /** Sequence number of the newest message. */
  head: number;
  /** Sequence number of the newest message deleted by retention; 0 if none was. */
  pruned: number;
  epoch: number;
  /** Highest number acknowledged by the session; `null` for a session without a cursor. */
  acknowledged: number | null;
}

/**
 * The client's own cursor: the `last` sequence number that it has received and, if the client stores it, the epoch of
 * that number.
 */
export interface ClientCursor {
  last?: number;
  epoch?: number;
}

export interface ResumePoint {
  /** Durable messages after this sequence number are delivered. */
  from: number;
  /**
   * The message after which the client wants to continue was deleted or never existed; delivery starts at the oldest
   * retained message.
   */
  reset: boolean;
}

/**
 * Resolves where delivery starts: after the client's `last`; without it, after the acknowledgement of the session; for
 * a new session, at the head, because older messages can be read through REST.
 */
export function resolveResumePoint(mailbox: MailboxState, client: ClientCursor): ResumePoint {
  const { head, pruned, epoch, acknowledged } = mailbox;
  const isSameEpoch = client.epoch === undefined || client.epoch === epoch;
  const requested = client.last ?? acknowledged;
  if (requested === null) return { from: head, reset: false };
  if (client.last !== undefined && !isSameEpoch) return { from: pruned, reset: true };
  if (requested > head || requested < pruned) return { from: pruned, reset: true };
  return { from: requested, reset: false };
}
