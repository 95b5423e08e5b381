import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { Waiters } from '../concurrency/waiters.js';

/** Age of a received event above which events count as lagging. */
const LATE_EVENT_MS = 5_000;
/**
 * How long events count as lagging after a late event, unless a later event arrives in time. While events really lag,
 * each of them is late; callers who are no members get 503 instead of 404 so long.
 */
const LAGGING_TTL_MS = 20_000;

/** Observes received family events. Callers can wait for an event of a principal and check whether events lag. */
@Injectable()
export class FamilyEventMonitor {
  private readonly waiting = new Waiters<PrincipalKey>();
  private readonly listeners = new Set<(familyId: string) => void>();
  private lateSince: number | undefined;

  /** True when the last event was received late, so that families may have no projection yet. */
  get isLagging(): boolean {
    return this.lateSince !== undefined && Date.now() - this.lateSince < LAGGING_TTL_MS;
  }

  get waiterCount(): number {
    return this.waiting.count();
  }

  countWaiters(principal: PrincipalKey): number {
    return this.waiting.count(principal);
  }

  /** Calls `listener` after a family's projection has changed; returns a function that unsubscribes. */
  onChanged(listener: (familyId: string) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Notifies listeners that the family's projection has changed. */
  notifyChanged(familyId: string): void {
    for (const listener of this.listeners) listener(familyId);
  }

  /**
   * Ends the waits for these principals, and records whether the event was received late.
   * @param eventTime Unix milliseconds when the event was created
   */
  recordEvent(principals: readonly PrincipalKey[], eventTime: number): void {
    const now = Date.now();
    this.lateSince = now - eventTime > LATE_EVENT_MS ? now : undefined;
    for (const principal of principals) this.waiting.notify(principal);
  }

  /** Resolves with the next event of this principal, or after `milliseconds`. */
  waitForNext(principal: PrincipalKey, milliseconds: number): Promise<void> {
    return this.waiting.wait(principal, milliseconds);
  }
}
