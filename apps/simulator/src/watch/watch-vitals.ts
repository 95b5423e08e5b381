import type { HeartbeatPayload } from '@family-watch/domain/messages/contracts/payloads';

/** A child's. */
const METRES_A_STEP = 0.6;
const WALKED_BEFORE = 4_210;

/** What a watch knows of itself and says in its heartbeats. */
export class WatchVitals {
  private level = 83;
  private metres = 0;

  /** Per cent. */
  get battery(): number {
    return this.level;
  }

  /** Made since the watch came to this child. */
  get steps(): number {
    return Math.round(this.metres / METRES_A_STEP);
  }

  /** What the counter shows, which was not reset for this child. */
  get stepTotal(): number {
    return WALKED_BEFORE + this.steps;
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
