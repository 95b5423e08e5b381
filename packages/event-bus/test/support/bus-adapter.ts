import type { EventBus } from '../../src/event-bus.js';

/** Consuming app of the contract tests. */
export const CONSUMER_APP = 'gateway';

/** Opens buses of the simulated processes of one deployment, for the contract suites; created for each test. */
export interface BusAdapter {
  /** Opens the bus of one process. */
  openBus(): Promise<EventBus>;
  /** Closes a process's bus without waiting for work in progress, like a crash of the process. */
  crash(bus: EventBus): Promise<void>;
  /** Deletes all data of the broker. */
  wipe(): Promise<void>;
  dispose(): Promise<void>;
}

export type OpenBusAdapter = () => Promise<BusAdapter>;
