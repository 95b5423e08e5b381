import type { HeartbeatPayload } from '@family-watch/domain/messages/contracts/payloads';

/** Stride of a child. */
const METRES_PER_STEP = 0.6;
const STEPS_BEFORE_BINDING = 4_210;

/** Battery and steps of the watch, as sent in its heartbeats. */
export class WatchVitals {
  private level = 83;
  private metres = 0;

  /** Battery level, per cent. */
  get battery(): number {
    return this.level;
  }

  /** Steps since the watch was bound to this child. */
  get steps(): number {
    return Math.round(this.metres / METRES_PER_STEP);
  }

  /** Value of the step counter, which is not reset when the watch is bound. */
  get stepTotal(): number {
    return STEPS_BEFORE_BINDING + this.steps;
  }

  walk(metres: number): void {
    this.metres += metres;
  }

  /** @param percent - of a full battery, a whole number */
  drain(percent: number): void {
    this.level = Math.max(1, this.level - percent);
  }

  heartbeat(): HeartbeatPayload {
    const status = { charging: false, worn: true, signal: 3, signalMax: 4, firmwareVersion: '1.0.0' };
    return { ...status, battery: this.level, stepTotal: this.stepTotal };
  }
}
