import type { Revocation, TokenIdentity } from '@family-watch/domain/kernel/contracts/revocation';
import { REVOCATION_RETENTION_MS } from './revocation-limits.js';

/** The revocations that tokens of today can still meet, in memory: asked on every use of a token. */
export class RevocationIndex {
  readonly #known = new Map<string, number>();
  readonly #sessions = new Map<string, number>();
  readonly #principals = new Map<string, number>();

  /** False when it was known before. */
  add({ id, scope, time }: Revocation): boolean {
    if (this.#known.has(id)) return false;
    this.#known.set(id, time);
    if ('sessionId' in scope) keepLatest(this.#sessions, scope.sessionId, time);
    else keepLatest(this.#principals, scope.principal, time);
    return true;
  }

  has(id: string): boolean {
    return this.#known.has(id);
  }

  isRevoked({ principal, sessionId, issuedAt }: TokenIdentity): boolean {
    if (this.#sessions.has(sessionId)) return true;
    const time = this.#principals.get(principal);
    return time !== undefined && issuedAt < time;
  }

  /** Forgets what no living token can meet. */
  prune(now: number): void {
    for (const times of [this.#known, this.#sessions, this.#principals]) {
      for (const [key, time] of times) if (time < now - REVOCATION_RETENTION_MS) times.delete(key);
    }
  }
}

function keepLatest(times: Map<string, number>, key: string, time: number): void {
  times.set(key, Math.max(time, times.get(key) ?? 0));
}
