import {
  MAX_SNAPSHOTS_PER_CALL,
  SNAPSHOT_ID_FIELDS,
  type Snapshot,
  type SnapshotSource,
  type SnapshotVersion,
} from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { EventConsumer } from './event-consumer.js';
import type { AnyEventHandler } from './event-map.js';
import { OPERATOR_COMMAND, type EventBusLogger } from './logger.js';
import {
  createRepairEvent,
  MAX_UNPROCESSED_EVENTS,
  UnprocessedEventRepository,
  type UnprocessedEvent,
} from './unprocessed-event.repository.js';
import { WakeSignal } from './wake-signal.js';

/** Milliseconds for which the monitor returns an object's state from the source while the projection is unknown. */
const SOURCE_STATE_TTL_MS = 2_000;

/** Milliseconds after which a failed comparison is repeated. */
const COMPARISON_RETRY_MS = 30_000;

export interface ProjectionMonitorOptions {
  scope: TransactionScope;
  logger: EventBusLogger;
  /** The handlers of the app, from its `EventConsumer`. */
  consumer: Pick<EventConsumer<never>, 'handlers' | 'onRetryEnqueued' | 'onMalformed'>;
  /** The app that owns the projected data; without a source, projections are never repaired. */
  source?: SnapshotSource;
  /** Interval of the queries for unprocessed events, milliseconds; 1,000 by default. */
  pollMs?: number;
  /** Interval of the comparisons with the source, milliseconds; 10 minutes by default. */
  comparisonMs?: number;
}

/** Status of an app's projections, for readiness and metrics. */
export interface ProjectionStatus {
  /** Names of the projections. */
  names: readonly string[];
  /** Number of keys whose projected state is unknown, by projection; a projection without such keys is omitted. */
  unknown: Readonly<Record<string, number>>;
  /** Number of objects repaired since the start of the process. */
  repaired: number;
  /** Time of the last complete comparison, Unix milliseconds; null before the first comparison. */
  comparedAt: number | null;
}

/** An object whose last repair failed. */
interface UnrepairedObject {
  event: string;
  id: string;
  projection: string;
  key: string;
}

type SnapshotHandler = AnyEventHandler & { readonly projection: NonNullable<AnyEventHandler['projection']> };

/**
 * Determines which projections of an app are older than their source, and repairs them. While an event is unprocessed,
 * the projection of the event's key is unknown: the app must use the state from the source (`findSourceState`) or deny
 * access.
 *
 * Every second the monitor queries the unprocessed events, requests the current state of their objects from the source
 * and passes the state to the handlers. A projection that lacks a change which the source has committed but not yet
 * published is repaired in the same way. At start and every ten minutes the monitor compares the versions of all
 * objects, which also finds changes whose events were lost.
 */
export class ProjectionMonitor {
  readonly #unprocessed: UnprocessedEventRepository;
  readonly #wakeSignal = new WakeSignal();
  /** States from the source with the time of their receipt, by event and id of the object. */
  readonly #sourceStates = new Map<string, { payload: unknown; receivedAt: number }>();
  /** The keys for which each projection is unknown, by name of the projection. */
  #unknown = new Map<string, Set<string>>();
  /** Objects whose last repair failed, by handler and id of the object. */
  readonly #unrepaired = new Map<string, UnrepairedObject>();
  #unprocessedEvents: readonly UnprocessedEvent[] = [];
  #handlers: SnapshotHandler[] = [];
  #loop: Promise<void> | null = null;
  #updates: Promise<void> = Promise.resolve();
  #repairs: Promise<void> | null = null;
  #comparison: Promise<void> | null = null;
  #nextComparisonAt = 0;
  #isStopping = false;
  #repairedCount = 0;
  #comparedAt: number | null = null;
  /** Messages of the failures that have been logged and still last. */
  readonly #loggedFailures = new Set<string>();

  constructor(private readonly options: ProjectionMonitorOptions) {
    this.#unprocessed = new UnprocessedEventRepository(options.scope);
  }

  /** Starts the queries. Resolves when the first query has determined which projections are unknown. */
  async start(): Promise<void> {
    const { consumer } = this.options;
    this.#handlers = consumer.handlers.filter(
      (handler): handler is SnapshotHandler => handler.projection !== undefined,
    );
    consumer.onRetryEnqueued(() => this.#wakeSignal.notify());
    // Bytes that are no event may concern any object, so all objects are compared. A new comparison follows a
    // comparison in progress, which may already have compared the object.
    consumer.onMalformed(() => void Promise.resolve(this.#comparison).then(() => this.compare()));
    await this.#queryUnknown();
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wakeSignal.notify();
    await this.#loop;
    await this.#repairs;
    await this.#comparison;
  }

  /** Returns whether the projection of any key is unknown. */
  get hasUnknown(): boolean {
    return this.#unknown.size > 0 || this.#hasUnlistedEvents;
  }

  /** Returns whether the stored projection of this key contains every event that has reached this app. */
  isKnown(projection: string, key: string): boolean {
    return !this.#hasUnlistedEvents && !this.#unknown.get(projection)?.has(key);
  }

  /**
   * Returns the state of an object that the source has returned in the last two seconds; undefined if there is none.
   */
  findSourceState(event: string, id: string): unknown {
    const state = this.#sourceStates.get(`${event} ${id}`);
    return state && performance.now() - state.receivedAt <= SOURCE_STATE_TTL_MS ? state.payload : undefined;
  }

  /** Returns the keys for which the projection is unknown, because an event of the key is unprocessed. */
  unknownKeys(projection: string): string[] {
    return [...(this.#unknown.get(projection) ?? [])];
  }

  /**
   * Repairs a projection whose events are no snapshots.
   *
   * @param read - reads the complete state of the key from its source
   * @param store - stores the state; its transaction also deletes the events that were unprocessed before `read`
   */
  async replaceState<State>(
    handler: string,
    key: string,
    read: () => Promise<State>,
    store: (state: State) => Promise<void>,
  ): Promise<void> {
    const through = await this.#unprocessed.findLast(handler, key);
    const state = await read();
    await this.options.scope.run(async () => {
      await store(state);
      await this.#unprocessed.deleteThrough(handler, key, through);
    });
    this.#repairedCount += 1;
    this.#wakeSignal.notify();
  }

  get status(): ProjectionStatus {
    const unknown = Object.fromEntries([...this.#unknown].map(([name, keys]) => [name, keys.size]));
    const names = [...new Set(this.#handlers.map(({ projection }) => projection.name))];
    return { names, unknown, repaired: this.#repairedCount, comparedAt: this.#comparedAt };
  }

  /** Compares all objects with the source and repairs those that differ; returns a comparison in progress, if any. */
  compare(): Promise<void> {
    const { comparisonMs = 600_000 } = this.options;
    this.#nextComparisonAt = performance.now() + Math.min(COMPARISON_RETRY_MS, comparisonMs);
    this.#comparison ??= this.#attempt('Projection comparison failed', async () => {
      await this.#compareAll();
      this.#nextComparisonAt = performance.now() + comparisonMs;
    }).finally(() => (this.#comparison = null));
    return this.#comparison;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      await this.#attempt('Query for unprocessed events failed', () => this.#queryUnknown());
      // Slow repairs must not delay the next query.
      this.#repairs ??= this.#repairUnknown().finally(() => (this.#repairs = null));
      if (performance.now() >= this.#nextComparisonAt) void this.compare();
      await this.#wakeSignal.wait(this.options.pollMs ?? 1_000);
    }
  }

  async #repairUnknown(): Promise<void> {
    const unprocessed = this.#unprocessedEvents;
    const repairs = unprocessed.flatMap(({ name, id }) => (id === null ? [] : [{ event: name, id }]));
    repairs.push(...this.#unrepaired.values());
    await this.#attempt('Query for unpublished changes failed', async () => {
      repairs.push(...((await this.options.source?.listUnpublishedSnapshots()) ?? []));
    });
    if (repairs.length === 0) {
      this.#sourceStates.clear();
      return;
    }
    for (const [event, group] of Map.groupBy(repairs, (repair) => repair.event)) {
      for (const chunk of chunksOf([...new Set(group.map(({ id }) => id))]))
        await this.#attempt('Projection repair failed', () => this.#refresh(event, chunk, unprocessed));
    }
    await this.#attempt('Query for unprocessed events failed', () => this.#queryUnknown());
  }

  /** True if there may be more unprocessed events than one query returns; every projection is then unknown. */
  get #hasUnlistedEvents(): boolean {
    return this.#unprocessedEvents.length >= MAX_UNPROCESSED_EVENTS;
  }

  /**
   * Queries the unprocessed events and updates the unknown projections. Queries run one after the other, so that the
   * result of an earlier query never replaces the result of a later query.
   */
  #queryUnknown(): Promise<void> {
    const update = this.#updates.then(async () => {
      this.#unprocessedEvents = await this.#unprocessed.find(this.#handlers.map(({ name }) => name));
      this.#setUnknown();
    });
    this.#updates = update.catch(() => undefined);
    return update;
  }

  /** Updates the unknown projections from the last query and the failed repairs, and logs the differences. */
  #setUnknown(): void {
    const { logger } = this.options;
    const names = new Map(this.#handlers.map(({ name, projection }) => [name, projection.name]));
    const unknown = new Map<string, Set<string>>();
    const add = (projection: string, key: string) =>
      unknown.set(projection, (unknown.get(projection) ?? new Set()).add(key));
    for (const { handler, key } of this.#unprocessedEvents) add(names.get(handler) ?? '', key);
    for (const { projection, key } of this.#unrepaired.values()) add(projection, key);
    const previous = this.#unknown;
    this.#unknown = unknown;
    for (const [projection, key] of keysOnlyInFirst(unknown, previous))
      logger.warn('Projection is unknown, access is refused unless its source answers', {
        projection,
        key,
        command: OPERATOR_COMMAND,
      });
    for (const [projection, key] of keysOnlyInFirst(previous, unknown))
      logger.info('Projection is known again', { projection, key });
  }

  /** Reads the objects from the source, and repairs projections that are older or have unprocessed events. */
  async #refresh(event: string, ids: readonly string[], unprocessed: readonly UnprocessedEvent[]): Promise<void> {
    const unprocessedObjects = new Set(unprocessed.map(({ handler, name, id }) => `${handler} ${name} ${id}`));
    const snapshots = (await this.options.source?.find(event, ids)) ?? [];
    const receivedAt = performance.now();
    for (const { id, payload } of snapshots) this.#sourceStates.set(`${event} ${id}`, { payload, receivedAt });
    await this.#repairAll(event, snapshots, (handler, id) => unprocessedObjects.has(`${handler.name} ${event} ${id}`));
    // An object that its owner has deleted needs no repair.
    const found = new Set(snapshots.map(({ id }) => id));
    for (const [unrepairedKey, unrepaired] of this.#unrepaired)
      if (unrepaired.event === event && ids.includes(unrepaired.id) && !found.has(unrepaired.id))
        this.#unrepaired.delete(unrepairedKey);
  }

  async #compareAll(): Promise<void> {
    const { source, logger } = this.options;
    if (!source) return;
    for (const event of Object.keys(SNAPSHOT_ID_FIELDS)) {
      if (!this.#handlersOf(event).length) continue;
      let after: string | null = null;
      for (;;) {
        const page: SnapshotVersion[] = await source.listVersions(event, after);
        const differing = await this.#findDiffering(event, page);
        for (const chunk of chunksOf(differing)) {
          const repaired = await this.#repairAll(event, await source.find(event, chunk), () => false);
          if (repaired > 0) logger.warn('Projection differed from its source and was repaired', { event, repaired });
        }
        after = page.at(-1)?.id ?? null;
        if (after === null || this.#isStopping) break;
      }
    }
    this.#comparedAt = Date.now();
  }

  /** Returns the ids of the objects that are missing in a projection or have an older version there. */
  async #findDiffering(event: string, page: readonly SnapshotVersion[]): Promise<string[]> {
    const differing = new Set<string>();
    for (const { projection } of this.#handlersOf(event)) {
      const stored = await projection.findVersions(page.map(({ id }) => id));
      for (const { id, version } of page) if ((stored.get(id) ?? -1) < version) differing.add(id);
    }
    return [...differing];
  }

  /**
   * Repairs each projection that is older than a snapshot, or for which `hasUnprocessedEvent` returns true.
   *
   * @returns the number of repaired objects
   */
  async #repairAll(
    event: string,
    snapshots: readonly Snapshot[],
    hasUnprocessedEvent: (handler: SnapshotHandler, id: string) => boolean,
  ): Promise<number> {
    const repaired = new Set<string>();
    for (const handler of this.#handlersOf(event)) {
      const stored = await handler.projection.findVersions(snapshots.map(({ id }) => id));
      for (const snapshot of snapshots) {
        if ((stored.get(snapshot.id) ?? -1) >= snapshot.version && !hasUnprocessedEvent(handler, snapshot.id)) {
          this.#unrepaired.delete(unrepairedKeyOf(handler, snapshot));
          continue;
        }
        if (await this.#repair(handler, event, snapshot)) repaired.add(snapshot.id);
      }
    }
    this.#repairedCount += repaired.size;
    return repaired.size;
  }

  async #repair(handler: SnapshotHandler, event: string, snapshot: Snapshot): Promise<boolean> {
    const { scope, logger } = this.options;
    const context = { handler: handler.name, event, snapshotId: snapshot.id, version: snapshot.version };
    const unrepairedKey = unrepairedKeyOf(handler, snapshot);
    try {
      await scope.run(async () => {
        await handler.handle(createRepairEvent(event, snapshot, Date.now()));
        await this.#unprocessed.deleteSuperseded(handler.name, event, snapshot);
      });
    } catch (error) {
      // A failed repair is attempted again every second, but only the first failure makes a known projection unknown.
      if (this.#unrepaired.has(unrepairedKey)) return false;
      logger.error('Projection could not be repaired', { ...context, error });
      const { id, key } = snapshot;
      this.#unrepaired.set(unrepairedKey, { event, id, key, projection: handler.projection.name });
      this.#setUnknown();
      return false;
    }
    this.#unrepaired.delete(unrepairedKey);
    logger.info('Projection repaired', context);
    return true;
  }

  #handlersOf(event: string): SnapshotHandler[] {
    return this.#handlers.filter((handler) => [handler.event].flat().includes(event));
  }

  /** Runs `work` and logs the first of consecutive failures. */
  async #attempt(failureMessage: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#loggedFailures.delete(failureMessage);
    } catch (error) {
      if (!this.#loggedFailures.has(failureMessage)) this.options.logger.warn(failureMessage, { error });
      this.#loggedFailures.add(failureMessage);
    }
  }
}

function unrepairedKeyOf(handler: SnapshotHandler, { id }: Snapshot): string {
  return `${handler.name} ${id}`;
}

function* chunksOf(ids: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < ids.length; start += MAX_SNAPSHOTS_PER_CALL)
    yield ids.slice(start, start + MAX_SNAPSHOTS_PER_CALL);
}

function* keysOnlyInFirst(
  first: ReadonlyMap<string, ReadonlySet<string>>,
  second: ReadonlyMap<string, ReadonlySet<string>>,
): Generator<[string, string]> {
  for (const [projection, keys] of first)
    for (const key of keys) if (!second.get(projection)?.has(key)) yield [projection, key];
}
