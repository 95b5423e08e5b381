import type { DynamicModule } from '@nestjs/common';
import type { DataExportSource } from '@family-watch/domain/privacy/contracts/data-export';
import type { DomainEvents } from '@family-watch/domain/events';
import {
  MAX_IDS_PER_EVENT,
  type FamilyCloudEvents,
} from '@family-watch/domain/family-cloud/contracts/family-cloud.events';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import { Outbox, type OutboxOptions } from '@family-watch/event-bus/outbox';
import { ProjectionMonitor } from '@family-watch/event-bus/projection-monitor';
import type { VerificationKeySource } from '@family-watch/platform/auth/token-verifier';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { ChildReadRecorder } from '@family-watch/platform/app/child-read-recorder';
import { DisplayNames } from '@family-watch/platform/app/display-names';
import { InfrastructureModule, type AppDependencies } from '@family-watch/platform/app/infrastructure.module';

/**
 * Injection token of the keys with which mcdisk verifies tickets. userctx signs the tickets of watches for the family
 * cloud with the same keys as access tokens.
 */
export const TICKET_VERIFICATION_KEYS = Symbol('TicketVerificationKeys');

/** `DataExportSource` of userctx; null if mcdisk is not configured to call userctx. */
export const DATA_EXPORT_SOURCE = Symbol('DataExportSource');

export class McdiskUnitOfWork extends UnitOfWork {}

/** Records who saw the data of children. */
export class McdiskChildReads extends ChildReadRecorder {}

/** Names of families, which mcdisk does not store. */
export class McdiskNames extends DisplayNames {}

export type McdiskEvent = NewEventOf<DomainEvents>;

type ContentEventName = Extract<keyof FamilyCloudEvents, `mcdisk.content.${string}`>;

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

  /** Stores an event about many contents of a cloud, split into events of at most `MAX_IDS_PER_EVENT` contents. */
  appendContentEvent<Name extends ContentEventName>(
    name: Name,
    { contentIDs, ...fields }: FamilyCloudEvents[Name],
  ): Promise<void> {
    const events: McdiskEvent[] = [];
    for (let start = 0; start < contentIDs.length; start += MAX_IDS_PER_EVENT) {
      const payload = { ...fields, contentIDs: contentIDs.slice(start, start + MAX_IDS_PER_EVENT) };
      events.push({ name, key: fields.cloudID, payload } as McdiskEvent);
    }
    return this.appendMany(events);
  }
}

/** Names of the projections of mcdisk. */
export const PROJECTION = { FAMILIES: 'families', FRIENDSHIPS: 'friendships' } as const;

/**
 * Monitors the projections of mcdisk. A projection is unknown for a family while an event of the family could not be
 * processed: the stored state may be outdated.
 */
export class McdiskProjections extends ProjectionMonitor {
  /**
   * Must be called before an access decision that uses the projection.
   *
   * @throws ServiceError CLOUD_NOT_READY while the projection is unknown for this family
   */
  assertKnown(projection: string, familyId: string): void {
    if (!this.isKnown(projection, familyId)) throw new ServiceError('CLOUD_NOT_READY', { retryAfter: 2 });
  }
}

/**
 * Minimum interval between publications of events, milliseconds. No client waits for the events of mcdisk, so that the
 * events of many uploads are published together.
 */
const OUTBOX_QUERY_INTERVAL_MS = 50;

export interface McdiskDependencies extends AppDependencies {
  /** Source of the keys with which userctx signs both tickets and access tokens. */
  verificationKeys: VerificationKeySource;
  /** The data of the other apps for exports. */
  dataExports?: DataExportSource;
}

export function mcdiskInfrastructure(dependencies: McdiskDependencies): DynamicModule {
  return InfrastructureModule.forApp(
    {
      app: 'mcdisk',
      unitOfWork: McdiskUnitOfWork,
      outbox: McdiskOutbox,
      childReads: McdiskChildReads,
      projections: McdiskProjections,
      outboxQueryIntervalMs: OUTBOX_QUERY_INTERVAL_MS,
      providers: [
        { provide: TICKET_VERIFICATION_KEYS, useValue: dependencies.verificationKeys },
        { provide: McdiskNames, useValue: new McdiskNames(dependencies.names) },
        { provide: DATA_EXPORT_SOURCE, useValue: dependencies.dataExports ?? null },
      ],
    },
    dependencies,
  );
}
