import type { EventBus } from '../../src/event-bus.js';

/** Consuming app of the contract tests. */
export const CONSUMER_APP = 'gateway';

/** Bus of one deployment for the contract suites; created for each test. */
export interface BusAdapter {
  /** Opens the bus of one process. */
  openBus(): Promise<EventBus>;
  /** Closes a process's bus like a crash: work in progress is not finished. */
  crash(bus: EventBus): Promise<void>;
  /** Deletes all data of the broker. */
  wipe(): Promise<void>;
  dispose(): Promise<void>;
}

export type OpenBusAdapter = () => Promise<BusAdapter>;
