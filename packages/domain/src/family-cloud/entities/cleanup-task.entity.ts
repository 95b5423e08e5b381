import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { CleanupKind, CleanupState } from '../contracts/cleanup-task.js';

/** A cleanup task and its progress: the data of a dissolved family, an erased child or an erased account. */
@Entity({ schema: 'mcdisk', name: 'ending' })
@Check('ending_kind', `kind IN ('FAMILY', 'CHILD', 'ACCOUNT')`)
@Check('ending_state', `state IN ('WAITING', 'WATCHED', 'FORGETTING')`)
@Index('ending_due', ['dueAt'])
export class CleanupTaskEntity {
  @PrimaryColumn({ name: 'kind', type: 'text', primaryKeyConstraintName: 'ending_pkey' })
  kind: CleanupKind;

  /** Id of the family, child or account. */
  @PrimaryColumn({ name: 'subject', type: 'text', primaryKeyConstraintName: 'ending_pkey' })
  subject: string;

  /** Id of the cloud; `null` for an account, which may have been a member of several families. */
  @Column({ name: 'cloud_id', type: 'text', nullable: true })
  cloudId: string | null;

  @Column({ name: 'state', type: 'text' })
  state: CleanupState;

  /** Unix milliseconds of the next step. */
  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  /** Id of the last content that was scanned in state FORGETTING. */
  @Column({ name: 'cursor', type: 'uuid', nullable: true })
  cursor: string | null;
}
