import type { DomainEvents } from '@family-watch/domain/events';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import { Outbox } from '@family-watch/event-bus/outbox';
import type { OutboxOptions } from '@family-watch/event-bus/outbox';

export type McdiskEvent = NewEventOf<DomainEvents>;

/** Events of mcdisk leave through here, in the unit of work of the change they tell of. */
export class McdiskOutbox extends Outbox<DomainEvents> {
  private readonly listeners = new Set<(event: McdiskEvent) => void>();

  constructor(
    private readonly unitOfWork: TransactionScope,
    options: OutboxOptions,
  ) {
    super(unitOfWork, options);
  }

  /**
   * Calls `listener` in this process right after the commit of each event, before it has left; for what must not wait
   * for the bus. Returns how to stop.
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
