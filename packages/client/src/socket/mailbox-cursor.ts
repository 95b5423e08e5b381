import type { MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import type { Hello } from '@family-watch/domain/messages/contracts/socket-events';

/** Cursor of a client in its mailbox. */
export interface StoredCursor {
  /** Sequence number of the last durable message. */
  last: number;
  /** Epoch of the mailbox. */
  epoch: number;
}

/** Checks that the ranges of durable messages follow each other without a gap, across connections. */
export class MailboxCursor {
  private epoch: number | undefined;
  private lastSeq: number | undefined;

  constructor(stored?: StoredCursor) {
    this.epoch = stored?.epoch;
    this.lastSeq = stored?.last;
  }

  /**
   * Cursor for the next connection. Without a cursor, the next connection resumes at the cursor that the service
   * stores for the session.
   */
  get stored(): StoredCursor | undefined {
    if (this.epoch === undefined || this.lastSeq === undefined) return undefined;
    return { last: this.lastSeq, epoch: this.epoch };
  }

  /**
   * Processes a `hello`.
   *
   * @returns `restarted` if earlier sequence numbers are invalid, so that the next range sets the cursor
   */
  onHello({ epoch, reset }: Pick<Hello, 'epoch' | 'reset'>): 'resumed' | 'restarted' {
    const isRestarted = reset === true || (this.epoch !== undefined && epoch !== this.epoch);
    if (isRestarted) this.lastSeq = undefined;
    this.epoch = epoch;
    return isRestarted ? 'restarted' : 'resumed';
  }

  /** Accepts a frame. The result `gap` means that messages before this frame are missing; the cursor is unchanged. */
  accept({ after, through }: Pick<MessagesFrame, 'after' | 'through'>): 'accepted' | 'gap' {
    if (after === undefined || through === undefined) return 'accepted';
    if (this.lastSeq !== undefined && after !== this.lastSeq) return 'gap';
    this.lastSeq = through;
    return 'accepted';
  }
}
