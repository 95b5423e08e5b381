import { Global, Module } from '@nestjs/common';
import type { DynamicModule, OnApplicationBootstrap, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import type { DomainEvents } from '@family-watch/domain/events';
import type { ContentSource, SnapshotSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
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
import { type Clock, systemClock } from '@family-watch/event-bus/clock';
import { CLOCK, CONTENT_SOURCE, PEER_PUB_SUB, REVOCATION_FEED } from './gateway.tokens.js';
import { GatewayEventConsumer } from './gateway.event-consumer.js';
import { GatewayOutbox } from './gateway.outbox.js';
import { GatewayProjections } from './gateway.projections.js';
import { GatewayUnitOfWork } from './gateway.unit-of-work.js';

/** Dependencies of the gateway, which the process opens before the application starts and closes after it stops. */
export interface GatewayDependencies {
  database: AppDatabase;
  environment: Environment;
  authenticator: Authenticator;
  messaging: Messaging;
  logger: Logger;
  /** Returns the current data of userctx, with which the projections of userctx data are compared and repaired. */
  snapshots?: SnapshotSource;
  /** Returns the contents in mcdisk, with which the projection of contents is compared and repaired. */
  contents?: ContentSource;
  /** The clock of the app; by default the system clock. */
  clock?: Clock;
}

/** The running event bus of the app. */
export class GatewayEventBusRuntime extends EventBusRuntime<DomainEvents> {}

/** Provides the gateway's database, outbox and event bus to all of its contexts. */
@Global()
@Module({})
export class GatewayInfrastructureModule implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly events: GatewayEventBusRuntime,
    private readonly consumer: GatewayEventConsumer,
    private readonly discovery: DiscoveryService,
  ) {}

  static forRoot(dependencies: GatewayDependencies): DynamicModule {
    const { database, messaging } = dependencies;
    const logger = toStructuredLogger(dependencies.logger.child({ app: 'gateway' }));
    const unitOfWork = new GatewayUnitOfWork(database.dataSource, database.schema);
    const common = { app: 'gateway', scope: unitOfWork, logger };
    const consumer = new GatewayEventConsumer({ ...common, bus: messaging.bus });
    const projections = new GatewayProjections({
      scope: unitOfWork,
      logger,
      consumer,
      source: dependencies.snapshots,
      comparisonMs: dependencies.environment.COMPARISON_INTERVAL * 1_000,
    });
    const events = new GatewayEventBusRuntime({ ...common, messaging, projections }, consumer);
    const providers = [
      { provide: GatewayUnitOfWork, useValue: unitOfWork },
      { provide: GatewayOutbox, useValue: new GatewayOutbox(unitOfWork, { onCommitted: () => events.notifyOutbox() }) },
      { provide: GatewayEventConsumer, useValue: consumer },
      { provide: GatewayProjections, useValue: projections },
      { provide: Environment, useValue: dependencies.environment },
      { provide: Authenticator, useValue: dependencies.authenticator },
      { provide: PEER_PUB_SUB, useValue: dependencies.messaging.peerPubSub },
      { provide: REVOCATION_FEED, useValue: dependencies.messaging.revocations },
      { provide: CONTENT_SOURCE, useValue: dependencies.contents ?? null },
      { provide: CLOCK, useValue: dependencies.clock ?? systemClock },
    ];
    return {
      module: GatewayInfrastructureModule,
      imports: [DiscoveryModule, JobsModule],
      providers: [
        ...providers,
        { provide: GatewayEventBusRuntime, useValue: events },
        { provide: IdempotencyKeyRepository, useValue: new IdempotencyKeyRepository(unitOfWork) },
      ],
      exports: providers.map(({ provide }) => provide),
    };
  }

  onModuleInit(): void {
    for (const handler of findEventHandlers(this.discovery, 'gateway')) this.consumer.register(handler);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.events.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.events.stop();
  }
}
