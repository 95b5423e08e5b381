import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { BatchTaskState, BatchTaskType } from './batch-task.js';

interface ContentFact {
  cloudID: string;
  /** At most {@link MAX_IDS_PER_EVENT}; a larger change is told in several events. */
  contentIDs: string[];
  by: PrincipalKey;
}

/** Keeps an event's payload below the limit of the outbox. */
export const MAX_IDS_PER_EVENT = 500;

/** Key: `familyId`, which is the `cloudID`. */
export interface FamilyCloudEvents {
  'mcdisk.content.added': ContentFact;
  /** Moved to the recycle bin. `by`: `null` when the child whose they were was erased, or the family ended. */
  'mcdisk.content.recycled': Omit<ContentFact, 'by'> & { by: PrincipalKey | null };
  /** Back from the recycle bin. */
  'mcdisk.content.restored': ContentFact;
  /** Out of the recycle bin for good. `by`: `null` when its time was over. */
  'mcdisk.content.purged': Omit<ContentFact, 'by'> & { by: PrincipalKey | null };
  /** A task over many contents went on or ended; `done` and `failed` count contents and folders of `total`. */
  'mcdisk.batch-task.changed': {
    cloudID: string;
    taskID: string;
    taskType: BatchTaskType;
    by: PrincipalKey;
    state: BatchTaskState;
    total: number;
    done: number;
    failed: number;
    /** Unix milliseconds. */
    time: number;
  };
}
