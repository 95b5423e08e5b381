import type { WatchStatus } from '@family-watch/domain/watches/contracts/watch';
import type { HeartbeatPayload } from '@family-watch/domain/messages/contracts/payloads';

/** A status is published after this time even if nothing relevant has changed. Milliseconds. */
const REPUBLISH_INTERVAL_MS = 60_000;

/**
 * Fields whose changes are published immediately; signal strength and step count change all the time, so they are
 * published at the next interval.
 */
const IMMEDIATE_FIELDS: readonly (keyof WatchStatus)[] = ['battery', 'charging', 'worn', 'firmwareVersion'];

export function toWatchStatus(heartbeat: HeartbeatPayload): WatchStatus {
  const { battery, charging, worn, signal, signalMax, stepTotal, firmwareVersion } = heartbeat;
  return {
    battery: battery ?? null,
    charging: charging ?? null,
    worn: worn ?? null,
    signal: signal ?? null,
    signalMax: signalMax ?? null,
    stepTotal: stepTotal ?? null,
    firmwareVersion: firmwareVersion ?? null,
  };
}

/** Throttles the status events of one watch, so that not every heartbeat publishes an event. */
export class StatusThrottle {
  private lastPublished: { status: WatchStatus; time: number } | undefined;

  /**
   * Returns whether to publish this status at `time` (Unix milliseconds), and records a status to publish as published.
   */
  shouldPublish(status: WatchStatus, time: number): boolean {
    const { lastPublished } = this;
    const changed = !lastPublished || IMMEDIATE_FIELDS.some((field) => lastPublished.status[field] !== status[field]);
    if (!changed && time - lastPublished.time < REPUBLISH_INTERVAL_MS) return false;
    this.lastPublished = { status, time };
    return true;
  }

  /** Resets the throttle, so that the next heartbeat publishes its status; called when an event could not be stored. */
  reset(): void {
    this.lastPublished = undefined;
  }
}
