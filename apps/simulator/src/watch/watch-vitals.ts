import type { HeartbeatPayload } from '@family-watch/domain/messages/contracts/payloads';

/** Length of a child's step. */
const METRES_PER_STEP = 0.6;
/** Most steps that the service counts at once. A replay makes the steps of hours in a minute, which no child can walk. */
const MAX_STEPS = 12_000;

/** Battery and steps of the watch, as sent in its heartbeats. */
export class WatchVitals {
  private batteryLevel = 83;
  private walkedMetres = 0;

  /** Battery level, per cent. */
  get battery(): number {
    return this.batteryLevel;
  }

  /** Steps since the watch enrolled, which is the value of its step counter. */
  get steps(): number {
    return Math.min(Math.round(this.walkedMetres / METRES_PER_STEP), MAX_STEPS);
  }

  walk(metres: number): void {
    this.walkedMetres += metres;
  }

  /** Reduces the battery level, to 1 % at least. @param percent - whole number, per cent of a full battery */
  drain(percent: number): void {
    this.batteryLevel = Math.max(1, this.batteryLevel - percent);
  }

  heartbeat(): HeartbeatPayload {
    const status = { charging: false, worn: true, signal: 3, signalMax: 4, firmwareVersion: '1.0.0' };
    return { ...status, battery: this.batteryLevel, stepTotal: this.steps };
  }
}
