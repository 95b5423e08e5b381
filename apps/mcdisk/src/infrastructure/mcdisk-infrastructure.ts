import { Global, Module } from '@nestjs/common';
import type { DynamicModule, OnApplicationBootstrap, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import type { DomainEvents } from '@family-watch/domain/events';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { SnapshotSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { EventBusRuntime } from '@family-watch/event-bus/event-bus-runtime';
import { EventConsumer } from '@family-watch/event-bus/event-consumer';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import type { Messaging } from '@family-watch/event-bus/messaging';
import { Outbox } from '@family-watch/event-bus/outbox';
import type { OutboxOptions } from '@family-watch/event-bus/outbox';
import { ProjectionMonitor } from '@family-watch/event-bus/projection-monitor';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import type { VerificationKeySource } from '@family-watch/platform/auth/token-verifier';
import { Environment } from '@family-watch/platform/config/environment';
import type { AppDatabase } from '@family-watch/platform/database/app-database';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { findEventHandlers } from '@family-watch/platform/events/on-event.decorator';
import { IdempotencyKeyRepository } from '@family-watch/platform/idempotency/idempotency-key.repository';
import { JobsModule } from '@family-watch/platform/jobs/job-scheduler';
import { toStructuredLogger } from '@family-watch/platform/observability/logger';
import type { Logger } from '@family-watch/platform/observability/logger';

/** Injection token of the source of the keys with which userctx signs both access tokens and tickets. */
export const TICKET_KEYS = Symbol('TicketKeys');

/**
 * Unit of work of the mcdisk database. Each app has a separate class as injection token, because standalone runs all
 * apps in one process.
 */
export class McdiskUnitOfWork extends UnitOfWork {}

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

/** Registry of the event handlers of mcdisk. */
export class McdiskEventConsumer extends EventConsumer<DomainEvents> {}

/** Names of the projections of mcdisk. */
export const PROJECTION = { FAMILIES: 'families', FRIENDSHIPS: 'friendships' } as const;

/**
 * Monitors the projections of mcdisk. A projection is unknown for a family while an event of the family could not be
 * processed: the stored state may be outdated.
 */
export class McdiskProjections extends ProjectionMonitor {
  /**
   * Must be called before a projection decides about access.
   *
   * @throws ServiceError CLOUD_NOT_READY while the projection is unknown for this family
   */
  assertKnown(projection: string, familyId: string): void {
    if (!this.isKnown(projection, familyId)) throw new ServiceError('CLOUD_NOT_READY', { retryAfter: 2 });
  }
}

/**
 * The external dependencies of mcdisk. The process that opens these dependencies closes them after the application has
 * stopped.
 */
export interface McdiskDependencies {
  database: AppDatabase;
  environment: Environment;
  authenticator: Authenticator;
  messaging: Messaging;
  logger: Logger;
  /** Source of the keys with which userctx signs both tickets and access tokens. */
  verificationKeys: VerificationKeySource;
  /** Current states of userctx, with which projections are compared and repaired. */
  snapshots?: SnapshotSource;
}

/** The running event bus of the app. */
export class McdiskEventBusRuntime extends EventBusRuntime<DomainEvents> {}

/**
 * Delay of event publication, milliseconds. No client waits for the events of mcdisk, and with the delay the events of
 * many uploads are published together.
 */
const OUTBOX_LINGER_MS = 50;

/** Provides database, outbox and event bus to all contexts of mcdisk. */
@Global()
@Module({})
export class McdiskInfrastructureModule implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly events: McdiskEventBusRuntime,
    private readonly consumer: McdiskEventConsumer,
    private readonly discovery: DiscoveryService,
  ) {}

  static forRoot(dependencies: McdiskDependencies): DynamicModule {
    const { database, messaging } = dependencies;
    const logger = toStructuredLogger(dependencies.logger.child({ app: 'mcdisk' }));
    const unitOfWork = new McdiskUnitOfWork(database.dataSource, database.schema);
    const common = { app: 'mcdisk', scope: unitOfWork, logger };
    const consumer = new McdiskEventConsumer({ ...common, bus: messaging.bus });
    const projections = new McdiskProjections({
      scope: unitOfWork,
      logger,
      consumer,
      source: dependencies.snapshots,
      comparisonMs: dependencies.environment.COMPARISON_INTERVAL * 1_000,
    });
    const events = new McdiskEventBusRuntime(
      { ...common, messaging, lingerMs: OUTBOX_LINGER_MS, projections },
      consumer,
    );
    const providers = [
      { provide: McdiskUnitOfWork, useValue: unitOfWork },
      { provide: McdiskOutbox, useValue: new McdiskOutbox(unitOfWork, { onCommitted: () => events.notifyOutbox() }) },
      { provide: McdiskEventConsumer, useValue: consumer },
      { provide: McdiskProjections, useValue: projections },
      { provide: Environment, useValue: dependencies.environment },
      { provide: Authenticator, useValue: dependencies.authenticator },
      { provide: TICKET_KEYS, useValue: dependencies.verificationKeys },
    ];
    return {
      module: McdiskInfrastructureModule,
      imports: [DiscoveryModule, JobsModule],
      providers: [
        ...providers,
        { provide: McdiskEventBusRuntime, useValue: events },
        { provide: IdempotencyKeyRepository, useValue: new IdempotencyKeyRepository(unitOfWork) },
      ],
      exports: providers.map(({ provide }) => provide),
    };
  }

  onModuleInit(): void {
    for (const handler of findEventHandlers(this.discovery, 'mcdisk')) this.consumer.register(handler);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.events.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.events.stop();
  }
}
