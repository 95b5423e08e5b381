// Step 7 of docs/from-change-to-socket.md: messages are stored at the end of the transaction.
import { Inject, Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import { Environment } from '@family-watch/platform/config/environment';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { Batcher } from '@family-watch/platform/concurrency/batcher';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { GatewayOutbox, GatewayUnitOfWork } from '../infrastructure/gateway-infrastructure.js';
import type { MailboxEntry, MailboxAppend } from './mailbox-entry.js';
import { MailboxRepository } from './mailbox.repository.js';
import { MailboxNotifier } from './mailbox-notifier.js';
import { SessionCursorRepository } from './session-cursor.repository.js';

/** Data that one client request stores: events for the other apps, and messages for recipients. */
export interface MailboxDelivery {
  events?: readonly NewEventOf<DomainEvents>[];
  entries?: readonly MailboxEntry[];
}

/** Listener that is called with the messages that a transaction adds to mailboxes, in this transaction. */
type StoreListener = (appends: readonly MailboxAppend[]) => Promise<void>;

/** Messages enqueued in one transaction, and functions that create more messages before it commits. */
interface PendingMessages {
  entries: MailboxEntry[];
  preparations: (() => Promise<readonly MailboxEntry[]>)[];
}

/** Maximum number of deliveries that wait for the running commit; about one second of full load. */
const MAX_WAITING_DELIVERIES = 20_000;
const MAX_DELIVERY_BATCH_SIZE = 500;

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * Messages are deleted by age, not by acknowledgement: another phone may still need them. They are never retained longer
 * than the chat messages to which they refer.
 */
const MESSAGE_RETENTION_DAYS = 30;
/** Time after which the cursor of an unused session is deleted: longer than a session is valid. */
const SESSION_RETENTION_MS = 120 * DAY_MS;
const RETENTION_BATCH_SIZE = 2_000;

/**
 * Stores messages in mailboxes at the end of the transaction that enqueues them: of an event handler, or of a request.
 * Reports of watches and reported statuses, which are many and small, share transactions by `deliver` (group commit); chat
 * messages do so in `ChatSenderService`, before they are enqueued.
 */
@Injectable()
export class MailboxService {
  private readonly commitBatcher = new Batcher<MailboxDelivery, void>({
    process: (deliveries) => this.commit(deliveries),
    maxBatchSize: MAX_DELIVERY_BATCH_SIZE,
    maxWaitingItems: MAX_WAITING_DELIVERIES,
    shouldBisect: (error) => !(error instanceof DatabaseUnavailableError),
  });
  /**
   * Pending messages by entity manager, which is a new object for each transaction and for each retry of a transaction.
   */
  private readonly pendingByManager = new WeakMap<object, PendingMessages>();
  private readonly storeListeners: StoreListener[] = [];

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly outbox: GatewayOutbox,
    private readonly mailboxes: MailboxRepository,
    private readonly sessions: SessionCursorRepository,
    private readonly notifier: MailboxNotifier,
    @Inject(Environment)
    private readonly environment: Pick<Environment, 'RETENTION_CHAT_DAYS' | 'RETENTION_VOICE_DAYS'>,
  ) {}

  /**
   * Resolves when events and messages are stored, by group commit with concurrent deliveries.
   * @throws ServiceError OVERLOADED when the queue is full and nothing was accepted
   */
  deliver(delivery: MailboxDelivery): Promise<void> {
    return this.commitBatcher.submit(delivery);
  }

  /**
   * Adds messages to the current transaction. All messages of a transaction are stored together before its commit. The
   * heads of all recipients are locked in one statement and in a fixed order, so event handlers and group commits
   * cannot deadlock.
   */
  enqueue(entries: readonly MailboxEntry[]): void {
    this.pendingOfTransaction().entries.push(...entries);
  }

  /**
   * Adds messages that can only be created just before the commit, like {@link enqueue}. `prepare` runs before the
   * mailbox heads are locked, so every transaction acquires all other locks before the locks of heads.
   */
  enqueueBeforeCommit(prepare: () => Promise<readonly MailboxEntry[]>): void {
    this.pendingOfTransaction().preparations.push(prepare);
  }

  /** Empties the messages with these ids, which must be UUIDs, in the current transaction, see `MailboxRepository`. */
  withdraw(recipients: readonly PrincipalKey[], ids: readonly string[]): Promise<void> {
    return this.mailboxes.withdraw(recipients, ids);
  }

  /**
   * Registers a listener that is called with the numbered messages in every transaction that stores messages; its failure
   * fails the transaction. The heads of the mailboxes are locked then, so it may lock only rows of their recipients.
   */
  onStored(listener: StoreListener): void {
    this.storeListeners.push(listener);
  }

  /** Deletes expired messages and session cursors, in batches. */
  @OnJob('gateway.mailbox.delete-expired', { intervalMs: HOUR_MS })
  async deleteExpired(now: number): Promise<void> {
    const { RETENTION_CHAT_DAYS, RETENTION_VOICE_DAYS } = this.environment;
    const before = now - Math.min(MESSAGE_RETENTION_DAYS, RETENTION_CHAT_DAYS) * DAY_MS;
    const voiceBefore = now - RETENTION_VOICE_DAYS * DAY_MS;
    // Other messages of the mailbox are retained longer, so that only the content of the voice messages is deleted.
    for (let withdrawn = RETENTION_BATCH_SIZE; voiceBefore > before && withdrawn === RETENTION_BATCH_SIZE;)
      withdrawn = await this.mailboxes.withdrawVoiceMessages(voiceBefore, RETENTION_BATCH_SIZE);
    for (;;) {
      const principals = await this.mailboxes.findPrincipalsWithMessagesBefore(before, RETENTION_BATCH_SIZE);
      if (principals.length === 0) break;
      await this.unitOfWork.run(() => this.mailboxes.prune(principals, before));
    }
    await this.sessions.deleteUnseenSince(now - SESSION_RETENTION_MS);
  }

  /** Resolves when no delivery is waiting for its commit. */
  async onApplicationShutdown(): Promise<void> {
    await this.commitBatcher.waitUntilIdle();
  }

  private pendingOfTransaction(): PendingMessages {
    const manager = this.unitOfWork.manager;
    const existing = this.pendingByManager.get(manager);
    if (existing) return existing;
    const pending: PendingMessages = { entries: [], preparations: [] };
    this.unitOfWork.beforeCommit(async () => {
      for (const prepare of pending.preparations) pending.entries.push(...(await prepare()));
      await this.store(pending.entries);
    });
    this.pendingByManager.set(manager, pending);
    return pending;
  }

  private async commit(deliveries: readonly MailboxDelivery[]): Promise<void[]> {
    await this.unitOfWork.run(async () => {
      await this.outbox.appendMany(deliveries.flatMap(({ events = [] }) => events));
      await this.store(deliveries.flatMap(({ entries = [] }) => entries));
    });
    return [];
  }

  private async store(entries: readonly MailboxEntry[]): Promise<void> {
    const appends = await this.mailboxes.store(entries);
    if (appends.length === 0) return;
    for (const listener of this.storeListeners) await listener(appends);
    this.unitOfWork.afterCommit(() => this.notifier.publishAppends(appends));
  }
}
