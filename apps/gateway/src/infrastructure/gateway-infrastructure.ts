import { Global, Module } from '@nestjs/common';
import type { DynamicModule, OnApplicationBootstrap, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import type { DomainEvents } from '@family-watch/domain/events';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { ContentSource, SnapshotSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { systemClock } from '@family-watch/event-bus/clock';
import type { Clock } from '@family-watch/event-bus/clock';
import { EventBusRuntime } from '@family-watch/event-bus/event-bus-runtime';
import { EventConsumer } from '@family-watch/event-bus/event-consumer';
import type { Messaging } from '@family-watch/event-bus/messaging';
import { Outbox } from '@family-watch/event-bus/outbox';
import { ProjectionMonitor } from '@family-watch/event-bus/projection-monitor';
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
 * `PubSub` between the nodes of the gateway. A node does not receive its own messages. All messages between nodes use
 * this channel, because it keeps their order: nodes are notified of a removed member before they receive the messages
 * of the same commit.
 */
export const PEER_PUB_SUB = Symbol('Peers');

/** `RevocationFeed` of this process. */
export const REVOCATION_FEED = Symbol('RevocationFeed');

/** `Clock` of the gateway. */
export const CLOCK = Symbol('Clock');

/** `ContentSource` of mcdisk; null if the gateway cannot ask mcdisk. */
export const CONTENT_SOURCE = Symbol('ContentSource');

/**
 * Unit of work of the gateway database. Each app has a separate subclass, so that the apps inject their own instances
 * when standalone runs them in one process.
 */
export class GatewayUnitOfWork extends UnitOfWork {}

/** Outbox of the gateway. Events are appended in the transaction of the change that they publish. */
export class GatewayOutbox extends Outbox<DomainEvents> {}

/** Event consumer of the gateway, with which its contexts register their event handlers. */
export class GatewayEventConsumer extends EventConsumer<DomainEvents> {}

/** Names of the gateway's projections. */
export const PROJECTION = {
  FAMILIES: 'families',
  CHILD_RULES: 'child-rules',
  FAMILY_CONVERSATIONS: 'family-conversations',
  FRIEND_CONVERSATIONS: 'friend-conversations',
  CONTENTS: 'contents',
} as const;

/** Returns the error for access that cannot be decided because a projection is unknown. */
export function projectionUnknownError(): ServiceError {
  return new ServiceError('OVERLOADED', { retryAfter: 2 });
}

const CONVERSATION_PROJECTIONS = [
  PROJECTION.CHILD_RULES,
  PROJECTION.FAMILY_CONVERSATIONS,
  PROJECTION.FRIEND_CONVERSATIONS,
] as const;

/**
 * Monitors the projections of the gateway. A projection is unknown for a family while an event of the family could not
 * be processed: the stored state may be outdated.
 */
export class GatewayProjections extends ProjectionMonitor {
  /** Returns whether every projection that decides about conversations is known for this family. */
  areConversationsKnown(familyId: string): boolean {
    return CONVERSATION_PROJECTIONS.every((projection) => this.isKnown(projection, familyId));
  }

  /**
   * Must be called before a projection decides about access.
   *
   * @throws ServiceError OVERLOADED while the projection is unknown for this family
   */
  assertKnown(projection: string, familyId: string): void {
    if (!this.isKnown(projection, familyId)) throw projectionUnknownError();
  }
}

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
