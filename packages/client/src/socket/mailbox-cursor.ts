import type { MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import type { Hello } from '@family-watch/domain/messages/contracts/socket-events';

/** Cursor of a client in its mailbox: the sequence number of the last durable message, and its epoch. */
export interface StoredCursor {
  last: number;
  epoch: number;
}

/** Checks that the ranges of durable messages follow each other without a gap, across connections. */
export class MailboxCursor {
  private epoch: number | undefined;
  private through: number | undefined;

  constructor(stored?: StoredCursor) {
    this.epoch = stored?.epoch;
    this.through = stored?.last;
  }

  /**
   * Cursor for the next connection. If the cursor is undefined, the cursor that the service stores for the session
   * applies.
   */
  get stored(): StoredCursor | undefined {
    if (this.epoch === undefined || this.through === undefined) return undefined;
    return { last: this.through, epoch: this.epoch };
  }

  /** Processes a `hello`. After `restarted` the first range sets the cursor. */
  onHello({ epoch, reset }: Pick<Hello, 'epoch' | 'reset'>): 'resumed' | 'restarted' {
    const restarted = reset === true || (this.epoch !== undefined && epoch !== this.epoch);
    if (restarted) this.through = undefined;
    this.epoch = epoch;
    return restarted ? 'restarted' : 'resumed';
  }

  /** Accepts a frame. The result `gap` means that messages before this frame are missing; the cursor is unchanged. */
  accept({ after, through }: Pick<MessagesFrame, 'after' | 'through'>): 'accepted' | 'gap' {
    if (after === undefined || through === undefined) return 'accepted';
    if (this.through !== undefined && after !== this.through) return 'gap';
    this.through = through;
    return 'accepted';
  }
}
