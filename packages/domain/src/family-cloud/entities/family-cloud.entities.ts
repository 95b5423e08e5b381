import { Check, Column, Entity, PrimaryColumn, Index } from 'typeorm';
import type { FamilySnapshot } from '../../families/contracts/membership.js';
import type { CleanupKind, CleanupState } from '../contracts/cloud-task.js';

/**
 * A family cloud and its quota. `usedSize`: bytes of the files that are not in the recycle bin. `recycleSize`: bytes of
 * the files in the recycle bin.
 */
@Entity({ schema: 'mcdisk', name: 'family_cloud' })
@Check('family_cloud_sizes_check', 'used_size >= 0 AND reserved_size >= 0 AND recycle_size >= 0')
@Check('family_cloud_content_count_check', 'content_count >= 0')
export class FamilyCloudEntity {
  /** The family's id. */
  @PrimaryColumn({ name: 'cloud_id', type: 'text', primaryKeyConstraintName: 'family_cloud_pkey' })
  cloudId: string;

  /** Quota in bytes; all sizes of this entity are in bytes. */
  @Column({ name: 'disk_size', type: 'bigint' })
  diskSize: number;

  @Column({ name: 'used_size', type: 'bigint', default: 0 })
  usedSize: number;

  /** Bytes that open uploads have reserved. */
  @Column({ name: 'reserved_size', type: 'bigint', default: 0 })
  reservedSize: number;

  @Column({ name: 'recycle_size', type: 'bigint', default: 0 })
  recycleSize: number;

  /** Number of files that are not purged, plus open uploads. */
  @Column({ name: 'content_count', type: 'integer', default: 0 })
  contentCount: number;

  /** Version of the family's paid entitlements that the quota contains; 0 if the family never had any. */
  @Column({ name: 'entitlement_version', type: 'bigint', default: 0 })
  entitlementVersion: number;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** Unix milliseconds of the last change of the cloud's files or members. */
  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt: number;
}

/** Projection of a family's members and children from userctx. Only the highest version is stored. */
@Entity({ schema: 'mcdisk', name: 'family_projection' })
@Index('family_projection_principals', ['principals'], { type: 'gin' })
export class FamilyProjectionEntity {
  @PrimaryColumn({ name: 'family_id', type: 'text', primaryKeyConstraintName: 'family_projection_pkey' })
  familyId: string;

  @Column({ name: 'version', type: 'bigint' })
  version: number;

  @Column({ name: 'snapshot', type: 'jsonb' })
  snapshot: FamilySnapshot;

  /** Keys of all principals of the family (`user:…`, `watch:…`), by which the families of a principal are found. */
  @Column({ name: 'principals', type: 'text', array: true })
  principals: string[];
}

/** A task that removes the data of a dissolved family, an erased child or an erased account, and its progress. */
@Entity({ schema: 'mcdisk', name: 'ending' })
@Check('ending_kind_check', `kind IN ('FAMILY', 'CHILD', 'ACCOUNT')`)
@Check('ending_state_check', `state IN ('WAITING', 'WATCHED', 'FORGETTING')`)
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

  /** When the next step of the task is due, in Unix milliseconds. */
  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  /** Id of the last content that the task has scanned in state FORGETTING; `null` before the scan. */
  @Column({ name: 'cursor', type: 'uuid', nullable: true })
  cursor: string | null;
}
