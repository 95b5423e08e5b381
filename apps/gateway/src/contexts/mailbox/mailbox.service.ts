import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-unavailable.error';
import { GatewayOutbox } from '../../infrastructure/gateway.outbox.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { Batcher } from '@family-watch/platform/process/batcher';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { MailboxEntry, MailboxAppend } from './mailbox-entry.js';
import { MailboxRepository } from './mailbox.repository.js';
import { MailboxNotifier } from './mailbox-notifier.js';

/** What one request of a client leaves behind: facts for the other apps, and messages for recipients. */
export interface MailboxDelivery {
  events?: readonly NewEventOf<DomainEvents>[];
  entries?: readonly MailboxEntry[];
}

/** Told what is being stored, in the unit of work that stores it. */
type StoreListener = (growths: readonly MailboxAppend[]) => Promise<void>;

/** What is posted with one unit of work, and what will be once its end has come. */
interface Posting {
  entries: MailboxEntry[];
  preparations: (() => Promise<readonly MailboxEntry[]>)[];
}

/** Deliveries that may wait for the commit under way; about a second of full load. */
const MAX_WAITING = 20_000;
const MAX_BATCH = 500;

/** The one way into mailboxes: for clients by group commit, for event handlers in their unit of work. */
@Injectable()
export class MailboxService {
  private readonly commits = new Batcher<MailboxDelivery, void>({
    process: (deliveries) => this.commit(deliveries),
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    shouldBisect: (error) => !(error instanceof DatabaseUnavailableError),
  });
  /** By the manager of the open unit, which is another object in each unit and each repetition of it. */
  private readonly posted = new WeakMap<object, Posting>();
  private readonly listeners: StoreListener[] = [];

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly outbox: GatewayOutbox,
    private readonly mailboxes: MailboxRepository,
    private readonly wakeUps: MailboxNotifier,
  ) {}

  /**
   * Resolves when events and messages are on disk, together with what others deliver at the same time.
   * @throws ServiceError OVERLOADED when too much waits; nothing was taken then.
   */
  deliver(delivery: MailboxDelivery): Promise<void> {
    return this.commits.submit(delivery);
  }

  /**
   * Puts messages into mailboxes with the open unit of work. They are stored at its end, all at once: the heads of
   * all recipients are locked in one go and in one order, so that handlers and group commit cannot wait in a circle.
   */
  enqueue(entries: readonly MailboxEntry[]): void {
    this.postingOfUnit().entries.push(...entries);
  }

  /**
   * The same for messages that can only be written at the end of the unit: `prepare` runs there, before the heads are
   * locked, so what it locks is locked before them in every unit.
   */
  enqueueBeforeCommit(prepare: () => Promise<readonly MailboxEntry[]>): void {
    this.postingOfUnit().preparations.push(prepare);
  }

  /** Takes messages back, in the open unit of work, as far as they were not delivered yet; `ids` are UUIDs. */
  withdraw(recipients: readonly PrincipalKey[], ids: readonly string[]): Promise<void> {
    return this.mailboxes.withdraw(recipients, ids);
  }

  /** From now on `listener` may write with every unit of work that stores messages; its failure fails the unit. */
  onBeforeStore(listener: StoreListener): void {
    this.listeners.push(listener);
  }

  /** Resolves when nothing waits to be committed. */
  async onApplicationShutdown(): Promise<void> {
    await this.commits.idle();
  }

  private postingOfUnit(): Posting {
    const unit = this.unitOfWork.manager;
    const known = this.posted.get(unit);
    if (known) return known;
    const posting: Posting = { entries: [], preparations: [] };
    this.unitOfWork.beforeCommit(async () => {
      for (const prepare of posting.preparations) posting.entries.push(...(await prepare()));
      await this.store(posting.entries);
    });
    this.posted.set(unit, posting);
    return posting;
  }

  private async commit(deliveries: readonly MailboxDelivery[]): Promise<void[]> {
    await this.unitOfWork.run(async () => {
      await this.outbox.appendMany(deliveries.flatMap(({ events = [] }) => events));
      await this.store(deliveries.flatMap(({ entries = [] }) => entries));
    });
    return [];
  }

  private async store(entries: readonly MailboxEntry[]): Promise<void> {
    const growths = await this.mailboxes.store(entries);
    if (growths.length === 0) return;
    for (const listener of this.listeners) await listener(growths);
    this.unitOfWork.afterCommit(() => this.wakeUps.publishAppends(growths));
  }
}
