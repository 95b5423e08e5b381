import { Inject, Injectable, Logger } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { Batcher } from '@family-watch/platform/process/batcher';
import type { DurableRange } from '../../protocol/outbound-queue.js';
import { ConnectedFamiliesService } from '../families/connected-families.service.js';
import type { StoredMessage } from './mailbox-entry.js';
import { MailboxRepository } from './mailbox.repository.js';
import type { MailboxHead } from './mailbox-head.repository.js';
import type { RangeRequest } from './mailbox.repository.js';

/** Messages of one range; a longer one is read in parts. */
const MAX_MESSAGES = 100;
/** Bytes of payloads of one range: a frame must stay well below what may be buffered for a socket. */
const MAX_BYTES = 256 * 1_024;

/** Who reads: a session of a principal. */
export interface MailboxSession {
  key: PrincipalKey;
  session: string;
}

/** Reads what is due to connections, many at once, and leaves out what its reader may not see any more. */
@Injectable()
export class MailboxReaderService {
  private readonly logger = new Logger(MailboxReaderService.name);
  private readonly reads = new Batcher<RangeRequest, StoredMessage[]>({
    process: (requests) => this.mailboxes.readRanges(requests, this.clock.now(), MAX_MESSAGES),
    // At most five thousand messages in one turn: those who come back must not keep what is live waiting.
    maxBatch: 50,
    // One per connection at most, and connections are bounded by the process.
    maxWaiting: 1_000_000,
  });

  constructor(
    private readonly mailboxes: MailboxRepository,
    private readonly families: ConnectedFamiliesService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** How far mailboxes reach; one that never got a message is left out. */
  findHeads(principals: readonly PrincipalKey[]): Promise<MailboxHead[]> {
    return this.mailboxes.findHeads(principals);
  }

  /**
   * The same range as {@link read} would give of what was just stored, if that is known without asking the database;
   * `undefined` if it is too long for a frame, or any of it might not be for this reader any more.
   */
  readAppend(
    { key, session }: MailboxSession,
    head: number,
    stored: readonly StoredMessage[],
  ): DurableRange | undefined {
    if (stored.length > MAX_MESSAGES || firstFitting(stored).length < stored.length) return undefined;
    const messages: DurableRange['messages'] = [];
    const now = this.clock.now();
    for (const { envelope, subject, exceptSession, expiresAt } of stored) {
      if (!this.families.isAllowedByCache(key, subject)) return undefined;
      // What waited for the bus, or for a retry, may be over before it is stored.
      const isOver = expiresAt !== null && expiresAt <= now;
      if (exceptSession !== session && !isOver) messages.push(envelope);
    }
    return { addedThrough: head, messages };
  }

  /** Messages after `after`, up to `through` or as many as fit in a frame; the range says how far they reach. */
  async read({ key, session }: MailboxSession, after: number, through: number): Promise<DurableRange> {
    try {
      const stored = await this.reads.submit({ principal: key, after, through });
      const fitting = firstFitting(stored);
      const isPart = fitting.length < stored.length || stored.length === MAX_MESSAGES;
      const messages: DurableRange['messages'] = [];
      for (const { envelope, subject, exceptSession } of fitting) {
        if (exceptSession !== session && (await this.families.isAllowed(key, subject))) messages.push(envelope);
      }
      return { addedThrough: isPart ? (fitting.at(-1)?.envelope.seq ?? through) : through, messages };
    } catch (error) {
      this.logger.warn({ msg: 'Mailbox read failed', err: error });
      throw error;
    }
  }
}

/** As many of the first messages as fit in a frame, but at least one. */
function firstFitting(stored: readonly StoredMessage[]): readonly StoredMessage[] {
  let bytes = 0;
  const tooMany = stored.findIndex((message, index) => {
    bytes += message.bytes;
    return index > 0 && bytes > MAX_BYTES;
  });
  return tooMany === -1 ? stored : stored.slice(0, tooMany);
}
