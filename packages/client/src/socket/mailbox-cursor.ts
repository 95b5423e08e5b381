import type { MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';
import type { Hello } from '@family-watch/domain/messages/contracts/socket-events';

/** How far a client has read its mailbox: number of the last durable message, and the epoch it was counted in. */
export interface StoredCursor {
  last: number;
  epoch: number;
}

/** Checks that ranges follow each other without a gap, across connections. */
export class MailboxCursor {
  private epoch: number | undefined;
  private through: number | undefined;

  constructor(stored?: StoredCursor) {
    this.epoch = stored?.epoch;
    this.through = stored?.last;
  }

  /** Where the next connection begins; absent: what the service has stored for the session decides. */
  get stored(): StoredCursor | undefined {
    if (this.epoch === undefined || this.through === undefined) return undefined;
    return { last: this.through, epoch: this.epoch };
  }

  /** A connection was greeted. After a reset what follows begins somewhere else, and its first range says where. */
  onHello({ epoch, reset }: Pick<Hello, 'epoch' | 'reset'>): 'resumed' | 'restarted' {
    const restarted = reset === true || (this.epoch !== undefined && epoch !== this.epoch);
    if (restarted) this.through = undefined;
    this.epoch = epoch;
    return restarted ? 'restarted' : 'resumed';
  }

  /** Takes what follows; `gap`: messages are missing before this frame, and nothing of it was taken. */
  accept({ after, through }: Pick<MessagesFrame, 'after' | 'through'>): 'taken' | 'gap' {
    if (after === undefined || through === undefined) return 'taken';
    if (this.through !== undefined && after !== this.through) return 'gap';
    this.through = through;
    return 'taken';
  }
}
