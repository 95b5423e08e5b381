import type { QueryClient } from '@tanstack/react-query';
import type { Session } from '../../core/session/session-store.js';
import { uploadQueueOf } from './album/upload-queue.js';
import { outboxOf } from './use-outbox.js';

/** Continues with the messages and uploads of an earlier page, on whatever page the person is. */
export function continueSending(session: Session, queries: QueryClient): void {
  outboxOf(session, queries);
  uploadQueueOf(session, queries);
}
