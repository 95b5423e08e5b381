import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';

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
