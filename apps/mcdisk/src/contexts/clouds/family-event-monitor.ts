import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';

/** An event that took longer than this to arrive says that the feed is catching up. */
const LATE_MS = 5_000;
/** How long that is believed when nothing newer arrives. */
const BELIEVED_MS = 60_000;

/** When news of families arrive here: lets a request wait for its own, and tells whether the feed lags behind. */
@Injectable()
export class FamilyEventMonitor {
  private readonly waiting = new Map<PrincipalKey, Set<() => void>>();
  private readonly listeners = new Set<(familyId: string) => void>();
  private lateSince: number | undefined;

  /** True while the newest news were old when they came: what is not known yet may exist all the same. */
  get isLagging(): boolean {
    return this.lateSince !== undefined && Date.now() - this.lateSince < BELIEVED_MS;
  }

  get waiters(): number {
    let count = 0;
    for (const resolvers of this.waiting.values()) count += resolvers.size;
    return count;
  }

  waitersOf(principal: PrincipalKey): number {
    return this.waiting.get(principal)?.size ?? 0;
  }

  /** Calls `listener` when a family has changed here; returns how to stop. */
  onChanged(listener: (familyId: string) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** What is known of the family has just changed: those who were removed are not among the principals any more. */
  notifyChanged(familyId: string): void {
    for (const listener of this.listeners) listener(familyId);
  }

  /** @param eventTime Unix milliseconds when the event was made */
  recordEvent(principals: readonly PrincipalKey[], eventTime: number): void {
    const now = Date.now();
    this.lateSince = now - eventTime > LATE_MS ? now : undefined;
    for (const principal of principals) this.waiting.get(principal)?.forEach((resolve) => resolve());
  }

  /** Resolves with the next news about this principal, or after `milliseconds`. */
  waitForNext(principal: PrincipalKey, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const resolvers = this.waiting.get(principal) ?? new Set();
      const done = () => {
        clearTimeout(timer);
        resolvers.delete(done);
        if (resolvers.size === 0) this.waiting.delete(principal);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.waiting.set(principal, resolvers.add(done));
    });
  }
}
