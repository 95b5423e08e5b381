import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A child that belongs to a family now, and the watch that acts as the child. */
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
