import type { EventBus } from '../../src/event-bus.js';

/** The consuming app of all contract tests. */
export const CONSUMER = 'gateway';

/** One deployment's bus, as the contract suite drives it; made anew for each test. */
export interface BusAdapter {
  /** The bus as one process has it. */
  open(): Promise<EventBus>;
  /** Ends a process's bus as its crash would: nothing under way is finished. */
  crash(bus: EventBus): Promise<void>;
  /** Destroys everything that the broker keeps. */
  wipe(): Promise<void>;
  dispose(): Promise<void>;
}

export type OpenBusAdapter = () => Promise<BusAdapter>;
