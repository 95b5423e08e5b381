import type { DomainEvents } from '@family-watch/domain/events';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import { Outbox } from '@family-watch/event-bus/outbox';
import type { OutboxOptions } from '@family-watch/event-bus/outbox';

export type McdiskEvent = NewEventOf<DomainEvents>;

/** Stores the events of mcdisk in the transaction of the change that they report. */
export class McdiskOutbox extends Outbox<DomainEvents> {
  private readonly listeners = new Set<(event: McdiskEvent) => void>();

  constructor(
    private readonly unitOfWork: TransactionScope,
    options: OutboxOptions,
  ) {
    super(unitOfWork, options);
  }

  /**
   * Calls `listener` in this process directly after the commit of each event, before it is published, for uses that
   * cannot wait until the event bus delivers the event. Returns a function that removes the listener.
   */
  onCommitted(listener: (event: McdiskEvent) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  override async appendMany(events: readonly McdiskEvent[]): Promise<void> {
    await super.appendMany(events);
    this.unitOfWork.afterCommit(() => {
      for (const event of events) for (const listener of this.listeners) listener(event);
    });
  }
}
