import { Global, Module } from '@nestjs/common';
import type { DynamicModule, OnApplicationBootstrap, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import type { DomainEvents } from '@family-watch/domain/events';
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
import type { StartableRevocationPublisher } from '@family-watch/event-bus/messaging';
import { UserctxRevocationPublisher } from './userctx.revocation-publisher.js';
import { UserctxEventConsumer } from './userctx.event-consumer.js';
import { UserctxOutbox } from './userctx.outbox.js';
import { UserctxUnitOfWork } from './userctx.unit-of-work.js';

/** Dependencies of userctx. The process that opens the dependencies closes them after the application has stopped. */
export interface UserctxDependencies {
  database: AppDatabase;
  environment: Environment;
  authenticator: Authenticator;
  messaging: Messaging;
  logger: Logger;
  /** Publishes revocations to every app. */
  revocationPublisher: StartableRevocationPublisher;
}

export class UserctxEventBusRuntime extends EventBusRuntime<DomainEvents> {}

/** Database, outbox and event bus, available to every context of userctx. */
@Global()
@Module({})
export class UserctxInfrastructureModule implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly events: UserctxEventBusRuntime,
    private readonly consumer: UserctxEventConsumer,
    private readonly discovery: DiscoveryService,
  ) {}

  static forRoot(dependencies: UserctxDependencies): DynamicModule {
    const { database, messaging } = dependencies;
    const logger = toStructuredLogger(dependencies.logger.child({ app: 'userctx' }));
    const unitOfWork = new UserctxUnitOfWork(database.dataSource, database.schema);
    const common = { app: 'userctx', scope: unitOfWork, logger };
    const consumer = new UserctxEventConsumer({ ...common, bus: messaging.bus });
    const events = new UserctxEventBusRuntime({ ...common, messaging }, consumer);
    const providers = [
      { provide: UserctxUnitOfWork, useValue: unitOfWork },
      { provide: UserctxOutbox, useValue: new UserctxOutbox(unitOfWork, { onCommitted: () => events.notifyOutbox() }) },
      { provide: UserctxEventConsumer, useValue: consumer },
      { provide: Environment, useValue: dependencies.environment },
      { provide: Authenticator, useValue: dependencies.authenticator },
      { provide: UserctxRevocationPublisher, useValue: dependencies.revocationPublisher },
    ];
    return {
      module: UserctxInfrastructureModule,
      imports: [DiscoveryModule, JobsModule],
      providers: [
        ...providers,
        { provide: UserctxEventBusRuntime, useValue: events },
        { provide: IdempotencyKeyRepository, useValue: new IdempotencyKeyRepository(unitOfWork) },
      ],
      exports: providers.map(({ provide }) => provide),
    };
  }

  onModuleInit(): void {
    for (const handler of findEventHandlers(this.discovery, 'userctx')) this.consumer.register(handler);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.events.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.events.stop();
  }
}
