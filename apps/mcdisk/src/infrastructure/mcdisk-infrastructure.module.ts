import { Global, Module } from '@nestjs/common';
import type { DynamicModule, OnApplicationBootstrap, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import type { DomainEvents } from '@family-watch/domain/events';
import type { SnapshotSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { EventBusRuntime } from '@family-watch/event-bus/event-bus-runtime';
import type { Messaging } from '@family-watch/event-bus/messaging';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { Environment } from '@family-watch/platform/config/environment';
import type { AppDatabase } from '@family-watch/platform/database/app-database';
import { findEventHandlers } from '@family-watch/platform/events/on-event.decorator';
import { IdempotencyKeyRepository } from '@family-watch/platform/idempotency/idempotency-key.repository';
import { JobsModule } from '@family-watch/platform/jobs/jobs.module';
import type { Logger } from '@family-watch/platform/observability/logger';
import { toStructuredLogger } from '@family-watch/platform/observability/structured-logger';
import type { VerificationKeySource } from '@family-watch/platform/auth/token-verifier';
import { McdiskEventConsumer } from './mcdisk.event-consumer.js';
import { McdiskOutbox } from './mcdisk.outbox.js';
import { TICKET_KEYS } from './mcdisk.tokens.js';
import { McdiskProjections } from './mcdisk.projections.js';
import { McdiskUnitOfWork } from './mcdisk.unit-of-work.js';

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
