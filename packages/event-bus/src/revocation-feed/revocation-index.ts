import type { Revocation, TokenIdentity } from '@family-watch/domain/kernel/contracts/revocation';

/**
 * Retention of revocations, milliseconds: twice the ten-minute lifetime of an access token, to allow for clock skew
 * and for readers that were disconnected.
 */
export const REVOCATION_RETENTION_MS = 20 * 60_000;

/** Interval of the publisher's heartbeats, milliseconds. */
export const HEARTBEAT_INTERVAL_MS = 500;

/** Time without a heartbeat after which a revocation may have been missed and requests are rejected, milliseconds. */
export const FEED_STALE_AFTER_MS = 2_000;

/** Maximum delay between a revocation's time and its commit, milliseconds; transactions are shorter. */
export const MAX_COMMIT_DELAY_MS = 60_000;

/** Parses a revocation from JSON. Returns null if the text is not a revocation. */
export function parseRevocation(text: string): Revocation | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { id, scope, time } = value as { id?: unknown; scope?: unknown; time?: unknown };
  if (typeof id !== 'string' || !Number.isSafeInteger(time) || typeof scope !== 'object' || scope === null) return null;
  const { sessionId, principal } = scope as { sessionId?: unknown; principal?: unknown };
  const hasOneScope = (typeof sessionId === 'string') !== (typeof principal === 'string');
  return hasOneScope ? (value as Revocation) : null;
}

/** Reads revocations from the database, in which each revocation was committed together with its cause. */
export interface RevocationSource {
  /** @param time Unix milliseconds, inclusive */
  listSince(time: number): Promise<Revocation[]>;
}

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
