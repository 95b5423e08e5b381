import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';

/** Null for a text that is no revocation. */
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
  const single = (typeof sessionId === 'string') !== (typeof principal === 'string');
  return single ? (value as Revocation) : null;
}
