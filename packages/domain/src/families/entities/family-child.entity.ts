import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { FamilyEntity } from './family.entity.js';

/** A child of a family, and the watch bound to the child. */
@Entity({ schema: 'userctx', name: 'family_child' })
@ForeignKey(() => FamilyEntity, ['familyId'], ['familyId'], { name: 'family_child_family_fk', onDelete: 'CASCADE' })
@Index('family_child_family', ['familyId'])
@Unique('family_child_did_key', ['did'])
export class FamilyChildEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'family_child_pk' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** Null while no watch is bound. */
  @Column({ name: 'did', type: 'bigint', nullable: true })
  did: number | null;

  /** Unix milliseconds. */
  @Column({ name: 'added_at', type: 'bigint' })
  addedAt: number;
}
