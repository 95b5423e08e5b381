import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { EventConsumer, type EventConsumerOptions } from '../../src/event-consumer.js';
import { DeadLetterStore } from '../../src/dead-letters.js';
import type { EventBus } from '../../src/event-bus.js';
import type { EventHandler, EventOf } from '../../src/event-map.js';
import { Outbox } from '../../src/outbox.js';
import { OutboxRelay, type OutboxRelayOptions } from '../../src/outbox-relay.js';
import { type BusAdapter, CONSUMER_APP, type OpenBusAdapter } from './bus-adapter.js';
import { PgTransactionScope } from './pg-transaction-scope.js';
import { RecordingLogger } from './recording-logger.js';
import { TestDatabase } from './test-database.js';

/** Events of the tests; `step` is the number of an event among the events of its key. */
export interface TestEvents {
  'userctx.step.taken': { step: number };
  'userctx.step.undone': { step: number };
}
export type TestEvent = EventOf<TestEvents>;
export type TestHandler = EventHandler<TestEvents>;

/** An event that a handler has processed, as stored in its transaction. */
export interface HandledEvent {
  node: string;
  handler: string;
  eventId: string;
  key: string;
  step: number;
}

export interface PublisherProcess {
  scope: PgTransactionScope;
  outbox: Outbox<TestEvents>;
  relay: OutboxRelay;
  bus: EventBus;
  /** Appends events of one key with these values of `step` in one transaction. */
  append(key: string, ...steps: number[]): Promise<void>;
}

export interface ConsumerProcess {
  name: string;
  scope: PgTransactionScope;
  consumer: EventConsumer<TestEvents>;
  bus: EventBus;
  crash(): Promise<void>;
}

/** A publishing and a consuming app, each with its own schema and any number of processes. */
export class Deployment {
  readonly logger = new RecordingLogger();
  readonly #closeFunctions: (() => Promise<void>)[] = [];
  #nodeCount = 0;

  private constructor(
    readonly adapter: BusAdapter,
    private readonly database: TestDatabase,
    readonly publisherScope: PgTransactionScope,
    readonly consumerScope: PgTransactionScope,
  ) {}

  static async open(database: TestDatabase, openAdapter: OpenBusAdapter): Promise<Deployment> {
    const publisher = new PgTransactionScope(database.url, await database.createSchema('userctx'));
    const consumer = new PgTransactionScope(database.url, await database.createSchema(CONSUMER_APP));
    return new Deployment(await openAdapter(), database, publisher, consumer);
  }

  async startPublisher(
    options: Partial<OutboxRelayOptions> & { wrapBus?: (bus: EventBus) => EventBus } = {},
  ): Promise<PublisherProcess> {
    const scope = new PgTransactionScope(this.database.url, this.publisherScope.schema);
    const opened = await this.adapter.openBus();
    const bus = options.wrapBus?.(opened) ?? opened;
    const relay = new OutboxRelay({
      app: 'userctx',
      logger: this.logger,
      leaseMs: 900,
      pollIntervalMs: 100,
      ...options,
      scope,
      bus,
    });
    const outbox = new Outbox<TestEvents>(scope, { onCommitted: () => relay.notify() });
    relay.start();
    this.#closeFunctions.push(async () => {
      await relay.stop();
      await scope.close();
    });
    const append = (key: string, ...steps: number[]) =>
      scope.run(() =>
        outbox.append(...steps.map((n) => ({ name: 'userctx.step.taken' as const, key, payload: { step: n } }))),
      );
    return { scope, outbox, relay, bus, append };
  }

  /** Starts a consumer process; `handlers` receives a function that records an event in the handler's transaction. */
  async startConsumer(
    handlers: (record: (handler: string, event: TestEvent) => Promise<void>) => TestHandler[],
    options: Partial<EventConsumerOptions> = {},
  ): Promise<ConsumerProcess> {
    const name = `node-${++this.#nodeCount}`;
    const scope = new PgTransactionScope(this.database.url, this.consumerScope.schema);
    const bus = await this.adapter.openBus();
    const consumer = new EventConsumer<TestEvents>({
      app: CONSUMER_APP,
      logger: this.logger,
      retryPolicy: { maxAttempts: 3, baseDelayMs: 50, maxDelayMs: 100 },
      retryPollIntervalMs: 25,
      ...options,
      scope,
      bus,
    });
    const record = async (handler: string, event: TestEvent) => {
      await scope.executor.query(
        `INSERT INTO ${scope.schema}.handled_event (node, handler, event_id, key, step) VALUES ($1, $2, $3, $4, $5)`,
        [name, handler, event.id, event.key, event.payload.step],
      );
    };
    for (const handler of handlers(record)) consumer.register(handler);
    await consumer.start();
    this.#closeFunctions.push(async () => {
      await consumer.stop();
      await scope.close();
    });
    const crash = async () => {
      scope.crash();
      await this.adapter.crash(bus);
    };
    return { name, scope, consumer, bus, crash };
  }

  get deadLetters(): DeadLetterStore {
    return new DeadLetterStore(this.consumerScope);
  }

  /** Returns the handled events; events of one key are in the order of their commits. */
  listHandledEvents(): Promise<HandledEvent[]> {
    return this.consumerScope.executor.query<HandledEvent>(
      `SELECT node, handler, event_id AS "eventId", key, step FROM ${this.consumerScope.schema}.handled_event ORDER BY position`,
    );
  }

  async listHandledSteps(key: string, handler = 'walk'): Promise<number[]> {
    return (await this.listHandledEvents())
      .filter((row) => row.key === key && row.handler === handler)
      .map((row) => row.step);
  }

  async countUnpublished(): Promise<number> {
    const [row] = await this.publisherScope.executor.query<{ count: string }>(
      `SELECT count(*) FROM ${this.publisherScope.schema}.outbox WHERE confirmed_at IS NULL`,
    );
    return Number(row?.count);
  }

  /** Ends the lease of a relay whose process has crashed, as if its time had passed. */
  async expireLease(): Promise<void> {
    const { schema, executor } = this.publisherScope;
    await executor.query(`UPDATE ${schema}.relay SET expires_at = '-infinity'`);
  }

  async close(): Promise<void> {
    for (const close of this.#closeFunctions.reverse()) await close();
    await this.adapter.dispose();
    await this.publisherScope.close();
    await this.consumerScope.close();
  }
}

export function stepHandler(handle: TestHandler['handle'], name = 'walk'): TestHandler {
  return { name, event: 'userctx.step.taken', handle };
}

/** Creates a handler that only records its events. */
export function recordingHandler(
  record: (handler: string, event: TestEvent) => Promise<void>,
  name = 'walk',
): TestHandler {
  return stepHandler((event) => record(name, event), name);
}

/** Returns a bus whose envelopes are published by `publish`, and which forwards all other calls. */
export function withPublish(bus: EventBus, publish: EventBus['publish']): EventBus {
  return {
    publish,
    subscribe: (subscription) => bus.subscribe(subscription),
    position: () => bus.position(),
    close: () => bus.close(),
  };
}

/** The deployment of the running test; a process runs its suites one after another. */
export let deployment: Deployment;

/** Declares that each test of the block has a deployment of its own. */
export function useDeployment(openAdapter: OpenBusAdapter): void {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await TestDatabase.create();
  });
  beforeEach(async () => {
    deployment = await Deployment.open(database, openAdapter);
  });
  afterEach(() => deployment.close());
  afterAll(() => database.drop());
}
