import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A child of a family, and the watch bound to the child. */
@Entity({ schema: 'userctx', name: 'family_child' })
export class FamilyChildEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'family_child_pk' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'did', type: 'bigint', nullable: true })
  did: number | null;

  /** Unix milliseconds. */
  @Column({ name: 'added_at', type: 'bigint' })
  addedAt: number;
}
