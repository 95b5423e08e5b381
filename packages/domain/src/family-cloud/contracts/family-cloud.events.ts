import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { BatchTaskState, BatchTaskType } from './cloud-task.js';

interface ContentChangePayload {
  cloudID: string;
  /** At most {@link MAX_IDS_PER_EVENT} ids; a larger change is published as several events. */
  contentIDs: string[];
  by: PrincipalKey;
}

/** Maximum number of content ids in one event. Keeps the payload below the maximum event size of the outbox. */
export const MAX_IDS_PER_EVENT = 500;

/** Key: `familyId`, which is also the `cloudID`. */
export interface FamilyCloudEvents {
  /** Files were uploaded or copied into the cloud. */
  'mcdisk.content.added': ContentChangePayload;
  /**
   * Files were moved to the recycle bin. `by` is `null` when the files were moved because a child was erased or
   * the family was dissolved.
   */
  'mcdisk.content.recycled': Omit<ContentChangePayload, 'by'> & { by: PrincipalKey | null };
  /** Files were restored from the recycle bin. */
  'mcdisk.content.restored': ContentChangePayload;
  /** Files were deleted permanently from the recycle bin. `by` is `null` when their retention in the bin ended. */
  'mcdisk.content.purged': Omit<ContentChangePayload, 'by'> & { by: PrincipalKey | null };
  /** A batch task made progress or finished; `done` and `failed` count files and folders, out of `total`. */
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
