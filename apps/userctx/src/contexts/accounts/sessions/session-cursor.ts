import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { SessionPlace } from './session.repository.js';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';

/** A place in the list as a client carries it. */
export function encodePlace({ createdAt, sessionId }: SessionPlace): string {
  return Buffer.from(`${createdAt}.${sessionId}`).toString('base64url');
}

/** @throws ServiceError VALIDATION_FAILED */
export function decodePlace(cursor: string): SessionPlace {
  const [, time, sessionId = ''] = /^(\d{1,15})\.(.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (time !== undefined && isUuid(sessionId)) return { createdAt: Number(time), sessionId };
  const message = 'cursor must be the nextCursor of a page';
  throw new ServiceError('VALIDATION_FAILED', { details: [{ field: 'cursor', rule: 'isCursor', message }] });
}
