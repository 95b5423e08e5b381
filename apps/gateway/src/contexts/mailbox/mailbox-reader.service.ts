import { Inject, Injectable, Logger } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { Batcher } from '../../protocol/batcher.js';
import type { DurableRange } from '../../protocol/outbound-queue.js';
import { FamilyDirectory } from '../families/family-directory.service.js';
import type { StoredMessage } from './mailbox-entry.js';
import { MailboxRepository } from './mailbox.repository.js';
import type { RangeRequest } from './mailbox.repository.js';

/** Messages of one range; a longer one is read in parts. */
const MAX_MESSAGES = 100;

/** Reads what is due to connections, many at once, and leaves out what its reader may not see any more. */
@Injectable()
export class MailboxReader {
  private readonly logger = new Logger(MailboxReader.name);
  private readonly reads = new Batcher<RangeRequest, StoredMessage[]>({
    process: (requests) => this.mailboxes.readRanges(requests, this.clock.now(), MAX_MESSAGES),
    maxBatch: 200,
    // One per connection at most, and connections are bounded by the process.
    maxWaiting: 1_000_000,
  });

  constructor(
    private readonly mailboxes: MailboxRepository,
    private readonly families: FamilyDirectory,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Messages after `after`, up to `through` or the first hundred; the range says how far they reach. */
  async read(principal: PrincipalKey, after: number, through: number): Promise<DurableRange> {
    try {
      const stored = await this.reads.submit({ principal, after, through });
      const last = stored.length === MAX_MESSAGES ? stored.at(-1) : undefined;
      const messages: DurableRange['messages'] = [];
      for (const { envelope, subject } of stored) {
        if (await this.families.admits(principal, subject)) messages.push(envelope);
      }
      return { through: last?.envelope.seq ?? through, messages };
    } catch (error) {
      this.logger.warn(`A mailbox could not be read: ${String(error)}`);
      throw error;
    }
  }
}
