import type { Revocation, TokenIdentity } from '@family-watch/domain/kernel/contracts/revocation';
import { REVOCATION_RETENTION_MS } from './revocation-limits.js';

/**
 * In-memory index of the revocations that can match a valid token. The service queries the index on every use of a
 * token.
 */
export class RevocationIndex {
  readonly #timesById = new Map<string, number>();
  readonly #timesBySession = new Map<string, number>();
  readonly #timesByPrincipal = new Map<string, number>();

  /** Adds a revocation. Returns false if the revocation was added before. */
  add({ id, scope, time }: Revocation): boolean {
    if (this.#timesById.has(id)) return false;
    this.#timesById.set(id, time);
    if ('sessionId' in scope) setLatestTime(this.#timesBySession, scope.sessionId, time);
    else setLatestTime(this.#timesByPrincipal, scope.principal, time);
    return true;
  }

  has(id: string): boolean {
    return this.#timesById.has(id);
  }

  isRevoked({ principal, sessionId, issuedAt }: TokenIdentity): boolean {
    if (this.#timesBySession.has(sessionId)) return true;
    const time = this.#timesByPrincipal.get(principal);
    return time !== undefined && issuedAt < time;
  }

  /** Deletes revocations that no valid token can match. */
  prune(now: number): void {
    for (const times of [this.#timesById, this.#timesBySession, this.#timesByPrincipal]) {
      for (const [key, time] of times) if (time < now - REVOCATION_RETENTION_MS) times.delete(key);
    }
  }
}

function setLatestTime(times: Map<string, number>, key: string, time: number): void {
  times.set(key, Math.max(time, times.get(key) ?? 0));
}
