import {
  Global,
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
  type ValueProvider,
} from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import type { DomainEvents } from '@family-watch/domain/events';
import type { NameSource } from '@family-watch/domain/kernel/contracts/display-names';
import type { SnapshotSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { systemClock, type Clock } from '@family-watch/event-bus/clock';
import { EventBusRuntime } from '@family-watch/event-bus/event-bus-runtime';
import { EventConsumer } from '@family-watch/event-bus/event-consumer';
import type { Messaging } from '@family-watch/event-bus/messaging';
import type { Outbox } from '@family-watch/event-bus/outbox';
import type { ProjectionMonitor, ProjectionMonitorOptions } from '@family-watch/event-bus/projection-monitor';
import { Authenticator } from '../auth/authenticator.js';
import { Environment } from '../config/environment.js';
import type { AppDatabase } from '../database/app-database.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { findEventHandlers } from '../jobs/on-event.decorator.js';
import { IdempotencyKeyRepository } from '../http/idempotency/idempotency-key.repository.js';
import { JobQueues } from '../jobs/job-queues.js';
import { JobScheduler, JobsModule } from '../jobs/job-scheduler.js';
import { AppMetrics, deliveryMeterOf } from './app-metrics.js';
import { LocalAppAdministration } from './operator/app-administration.js';
import { ChildReadRecorder } from './child-read-recorder.js';
import { toStructuredLogger, type Logger } from '../observability/logger.js';
import { eventTracingOf } from '../observability/tracing.js';

/**
 * Dependencies of an app. The process opens them before the application starts and closes them after it has stopped.
 */
export interface AppDependencies {
  database: AppDatabase;
  environment: Environment;
  authenticator: Authenticator;
  messaging: Messaging;
  logger: Logger;
  /**
   * Current state of userctx's objects, with which the app compares and repairs its projections; absent in userctx
   * itself.
   */
  snapshots?: SnapshotSource;
  /** Current names, for responses of an app that does not store them; absent in userctx itself. */
  names?: NameSource;
}

/**
 * The app-specific part of the infrastructure. Each app has its own subclasses as injection tokens, because standalone
 * runs the three apps in one container.
 */
export interface AppInfrastructure {
  app: 'userctx' | 'mcdisk' | 'gateway';
  unitOfWork: new (...parameters: ConstructorParameters<typeof UnitOfWork>) => UnitOfWork;
  outbox: new (...parameters: ConstructorParameters<typeof Outbox<DomainEvents>>) => Outbox<DomainEvents>;
  childReads: new (...parameters: ConstructorParameters<typeof ChildReadRecorder>) => ChildReadRecorder;
  /** Absent if the app has no projections. */
  projections?: new (options: ProjectionMonitorOptions) => ProjectionMonitor;
  /** Minimum interval between queries of the outbox relay, milliseconds; see `OutboxRelayOptions`. */
  outboxQueryIntervalMs?: number;
  /** The clock with which the app decides what is due; by default the system clock. */
  clock?: Clock;
  /** Further values that the rooms of the app inject. */
  providers?: readonly ValueProvider[];
}

const APP = Symbol('App');
const CHILD_READS = Symbol('ChildReads');

/** Provides unit of work, outbox and projections to all rooms of one app, and runs its event handlers and jobs. */
@Global()
@Module({})
export class InfrastructureModule implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(APP) private readonly app: string,
    private readonly events: EventBusRuntime,
    private readonly consumer: EventConsumer<DomainEvents>,
    private readonly discovery: DiscoveryService,
    @Inject(CHILD_READS) private readonly childReads: ChildReadRecorder,
    private readonly jobs: JobScheduler,
    private readonly queues: JobQueues,
  ) {}

  static forApp(infrastructure: AppInfrastructure, dependencies: AppDependencies): DynamicModule {
    const { app, outboxQueryIntervalMs: queryIntervalMs, clock = systemClock } = infrastructure;
    const { database, environment, messaging } = dependencies;
    const logger = toStructuredLogger(dependencies.logger.child({ app }));
    const scope = new infrastructure.unitOfWork(database.dataSource, database.schema);
    const meter = deliveryMeterOf(app);
    const tracing = eventTracingOf(app);
    const consumer = new EventConsumer<DomainEvents>({ app, scope, logger, bus: messaging.bus, meter, tracing });
    const projections =
      infrastructure.projections &&
      new infrastructure.projections({
        scope,
        logger,
        consumer,
        source: dependencies.snapshots,
        comparisonMs: environment.COMPARISON_INTERVAL * 1_000,
      });
    const events = new EventBusRuntime({ app, scope, logger, messaging, queryIntervalMs, projections }, consumer);
    const outbox = new infrastructure.outbox(scope, {
      tracing,
      onTraced: (traced) => events.rememberTrace(traced),
      onCommitted: (traced) => events.notifyOutbox(traced),
    });
    const childReads = new infrastructure.childReads(app, scope, outbox);
    const queues = new JobQueues(database, scope, clock);
    const exported: ValueProvider[] = [
      { provide: infrastructure.unitOfWork, useValue: scope },
      { provide: infrastructure.outbox, useValue: outbox },
      { provide: infrastructure.childReads, useValue: childReads },
      { provide: Environment, useValue: environment },
      { provide: Authenticator, useValue: dependencies.authenticator },
      ...(infrastructure.projections ? [{ provide: infrastructure.projections, useValue: projections }] : []),
      ...(infrastructure.providers ?? []),
    ];
    return {
      module: InfrastructureModule,
      imports: [DiscoveryModule, JobsModule],
      providers: [
        ...exported,
        { provide: APP, useValue: app },
        { provide: CHILD_READS, useValue: childReads },
        { provide: EventBusRuntime, useValue: events },
        { provide: EventConsumer, useValue: consumer },
        { provide: JobQueues, useValue: queues },
        { provide: IdempotencyKeyRepository, useValue: new IdempotencyKeyRepository(scope) },
        {
          provide: AppMetrics,
          useFactory: (jobs: JobScheduler) => new AppMetrics({ app, database, queues, messaging, events }, jobs),
          inject: [JobScheduler],
        },
        {
          provide: LocalAppAdministration,
          useFactory: (metrics: AppMetrics) => new LocalAppAdministration(app, scope, () => metrics.findQueues()),
          inject: [AppMetrics],
        },
      ],
      exports: exported.map(({ provide }) => provide),
    };
  }

  onModuleInit(): void {
    for (const handler of findEventHandlers(this.discovery, this.app)) this.consumer.register(handler);
    this.jobs.useQueueCheck(this.app, (jobs) => this.queues.findDue(jobs));
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.events.start();
  }

  async onApplicationShutdown(): Promise<void> {
    // The last requests have been answered; what they recorded must be stored before the database is closed.
    await this.childReads.flush();
    await this.events.stop();
  }
}
