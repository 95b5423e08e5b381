/** State of a mailbox when a session opens it. */
export interface MailboxState {
  /** Sequence number of the newest message. */
  head: number;
  /** Sequence number of the newest message deleted by retention, or 0 if no message was deleted. */
  deletedThrough: number;
  epoch: number;
  /** Highest number acknowledged by the session, or `null` for a session without a cursor. */
  acknowledged: number | null;
}

/**
 * The cursor that the client sends: the `last` sequence number received and, if stored by the client, the epoch of that
 * number.
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
 * Returns where delivery starts: after the client's `last` if present, else after the last acknowledgement of the
 * session. Delivery to a new session starts at the head, because older messages can be read through REST.
 */
export function resolveResumePoint(mailbox: MailboxState, client: ClientCursor): ResumePoint {
  const { head, deletedThrough, epoch, acknowledged } = mailbox;
  const isSameEpoch = client.epoch === undefined || client.epoch === epoch;
  const requested = client.last ?? acknowledged;
  if (requested === null) return { from: head, reset: false };
  if (client.last !== undefined && !isSameEpoch) return { from: deletedThrough, reset: true };
  if (requested > head || requested < deletedThrough) return { from: deletedThrough, reset: true };
  return { from: requested, reset: false };
}
