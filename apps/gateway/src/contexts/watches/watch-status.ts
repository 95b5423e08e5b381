import type { WatchStatus } from '@family-watch/domain/watches/contracts/watch.events';
import type { HeartbeatPayload } from '@family-watch/domain/messages/contracts/payloads';

/** Milliseconds after which a status is told even if nothing has changed. */
const TELL_AGAIN_MS = 60_000;

/** Changes that somebody waits for; signal and steps move all the time and are told once a minute. */
const TELLING: readonly (keyof WatchStatus)[] = ['battery', 'charging', 'worn', 'firmwareVersion'];

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

/** What one watch has last told the other apps, so that heartbeats do not become an event each. */
export class StatusThrottle {
  private told: { status: WatchStatus; time: number } | undefined;

  /** Is this status worth an event at `time` (Unix milliseconds)? If so it counts as told until {@link reset}. */
  shouldPublish(status: WatchStatus, time: number): boolean {
    const { told } = this;
    const changed = !told || TELLING.some((field) => told.status[field] !== status[field]);
    if (!changed && time - told.time < TELL_AGAIN_MS) return false;
    this.told = { status, time };
    return true;
  }

  /** The event did not get through: the next heartbeat makes it again. */
  reset(): void {
    this.told = undefined;
  }
}
