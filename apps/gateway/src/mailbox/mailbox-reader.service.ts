import { Inject, Injectable, Logger } from '@nestjs/common';
import { parsePrincipalKey, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { isChatKind } from '@family-watch/domain/messages/contracts/message-kinds';
import type { Clock } from '@family-watch/event-bus/clock';
import { Batcher } from '@family-watch/platform/concurrency/batcher';
import { CLOCK, GatewayChildReads } from '../infrastructure/gateway-infrastructure.js';
import { ConnectedFamiliesService } from '../projections/connected-families.service.js';
import type { DurableRange, MailboxSession, StoredMessage } from './mailbox-entry.js';
import { MailboxRepository, type MailboxHead, type RangeRequest } from './mailbox.repository.js';

/** Maximum number of messages in one range; a longer range is read in parts. */
const MAX_RANGE_MESSAGES = 100;
/** Maximum payload bytes in one range: a frame must stay well below the buffer limit of a socket. */
const MAX_RANGE_BYTES = 256 * 1_024;

/** Reads mailboxes for connections in batches, and omits messages that their recipient may not see any more. */
@Injectable()
export class MailboxReaderService {
  private readonly logger = new Logger(MailboxReaderService.name);
  private readonly readBatcher = new Batcher<RangeRequest, StoredMessage[]>({
    process: (requests) => this.mailboxes.readRanges(requests, this.clock.now(), MAX_RANGE_MESSAGES),
    // A query reads at most 5,000 messages, so that reconnecting clients do not delay live delivery.
    maxBatchSize: 50,
    // Each connection waits for at most one read, and connections are limited per process.
    maxWaitingItems: 1_000_000,
  });

  constructor(
    private readonly mailboxes: MailboxRepository,
    private readonly families: ConnectedFamiliesService,
    private readonly childReads: GatewayChildReads,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Returns the heads of the mailboxes; a mailbox that never received a message is omitted. */
  findHeads(principals: readonly PrincipalKey[]): Promise<MailboxHead[]> {
    return this.mailboxes.findHeads(principals);
  }

  /**
   * Returns the range that {@link read} would return for messages that were just stored, without a query. Returns
   * `undefined` if the range is too long for one frame, or if the cache cannot confirm access to every message.
   */
  readAppend(
    { key, session }: MailboxSession,
    head: number,
    stored: readonly StoredMessage[],
  ): DurableRange | undefined {
    if (stored.length > MAX_RANGE_MESSAGES || firstMessagesOfOneFrame(stored).length < stored.length) return undefined;
    const messages: DurableRange['messages'] = [];
    const now = this.clock.now();
    for (const { envelope, subject, exceptSession, expiresAt } of stored) {
      if (!this.families.isAllowedByCache(key, subject)) return undefined;
      // A message that waited for the event bus or for a retry may have expired before it is stored.
      const isExpired = expiresAt !== null && expiresAt <= now;
      if (exceptSession !== session && !isExpired) messages.push(envelope);
    }
    this.recordReads(key, messages);
    return { addedThrough: head, messages };
  }

  /**
   * Returns the messages after `after`, up to `through` or up to the size limit; `addedThrough` is the last sequence
   * number of the returned range.
   */
  async read({ key, session }: MailboxSession, after: number, through: number): Promise<DurableRange> {
    try {
      const stored = await this.readBatcher.submit({ principal: key, after, through });
      const firstMessages = firstMessagesOfOneFrame(stored);
      const isTruncated = firstMessages.length < stored.length || stored.length === MAX_RANGE_MESSAGES;
      const messages: DurableRange['messages'] = [];
      for (const { envelope, subject, exceptSession } of firstMessages) {
        if (exceptSession !== session && (await this.families.isAllowed(key, subject))) messages.push(envelope);
      }
      this.recordReads(key, messages);
      return { addedThrough: isTruncated ? (firstMessages.at(-1)?.envelope.seq ?? through) : through, messages };
    } catch (error) {
      this.logger.warn({ msg: 'Mailbox read failed', err: error });
      throw error;
    }
  }

  /** Records the messages of a child that are delivered to a person. A message of a watch is about the child it acts for. */
  private recordReads(key: PrincipalKey, messages: DurableRange['messages']): void {
    for (const { kind, from, cid } of messages)
      if (from.type === 'watch' && cid !== undefined && isChatKind(kind))
        this.childReads.recordCaller(parsePrincipalKey(key), cid, 'CHAT');
  }
}

/** Returns as many of the first messages as fit into one frame, at least one. */
function firstMessagesOfOneFrame(stored: readonly StoredMessage[]): readonly StoredMessage[] {
  let bytes = 0;
  const excessIndex = stored.findIndex((message, index) => {
    bytes += message.bytes;
    return index > 0 && bytes > MAX_RANGE_BYTES;
  });
  return excessIndex === -1 ? stored : stored.slice(0, excessIndex);
}
