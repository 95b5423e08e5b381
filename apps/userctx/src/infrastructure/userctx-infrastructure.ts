import { Global, Module } from '@nestjs/common';
import type { DynamicModule, OnApplicationBootstrap, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import type { DomainEvents } from '@family-watch/domain/events';
import type { Revocation, RevocationPublisher } from '@family-watch/domain/kernel/contracts/revocation';
import { EventBusRuntime } from '@family-watch/event-bus/event-bus-runtime';
import { EventConsumer } from '@family-watch/event-bus/event-consumer';
import type { Messaging, StartableRevocationPublisher } from '@family-watch/event-bus/messaging';
import { Outbox } from '@family-watch/event-bus/outbox';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { Environment } from '@family-watch/platform/config/environment';
import type { AppDatabase } from '@family-watch/platform/database/app-database';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { findEventHandlers } from '@family-watch/platform/events/on-event.decorator';
import { IdempotencyKeyRepository } from '@family-watch/platform/idempotency/idempotency-key.repository';
import { JobsModule } from '@family-watch/platform/jobs/job-scheduler';
import { toStructuredLogger } from '@family-watch/platform/observability/logger';
import type { Logger } from '@family-watch/platform/observability/logger';

/**
 * Unit of work of the userctx database. The separate class lets each app of the standalone server inject its own unit
 * of work.
 */
export class UserctxUnitOfWork extends UnitOfWork {}

/** Publishes events of userctx. Events are stored in the transaction of the change. */
export class UserctxOutbox extends Outbox<DomainEvents> {}

/** Registers the event handlers of userctx. */
export class UserctxEventConsumer extends EventConsumer<DomainEvents> {}

/** Injection token of the publisher that notifies all apps of revocations. */
export abstract class UserctxRevocationPublisher implements RevocationPublisher {
  abstract revoke(revocations: Revocation[]): Promise<void>;
}

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
