import type { CleanupTaskEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entities';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';

/** The next step of a task and its time. */
export type NextCleanupStep = Pick<CleanupTaskEntity, 'state' | 'cursor' | 'dueAt'>;

/** Principal that replaces the principal of an erased account. */
export const ERASED_PRINCIPAL: PrincipalKey = 'user:erased';

/** Retention of a dissolved family's cloud, equal to the retention of contents in the recycle bin. */
export const DISSOLVED_CLOUD_RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;

/** Maximum number of contents per transaction. */
export const CLEANUP_BATCH_SIZE = 200;
