import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/**
 * A family. The foreign key to the members ensures that the owner is the only member with the role OWNER, and that a
 * dissolved family needs no members. A person owns at most one family that is not dissolved.
 */
@Entity({ schema: 'userctx', name: 'family' })
@ForeignKey('FamilyMemberEntity', ['familyId', 'ownerUserId', 'ownerRole'], ['familyId', 'userId', 'role'], {
  name: 'family_owner_is_member',
  deferrable: 'INITIALLY DEFERRED',
})
@Index('family_dissolved', ['dissolvedAt'], { where: 'dissolved_at IS NOT NULL' })
@Index('family_owner_key', ['ownerUserId'], { unique: true, where: 'dissolved_at IS NULL' })
export class FamilyEntity {
  @PrimaryColumn({ name: 'family_id', type: 'uuid', primaryKeyConstraintName: 'family_pk' })
  familyId: string;

  @Column({ name: 'owner_user_id', type: 'uuid' })
  ownerUserId: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  /** Increases with every change of members, children or watches. */
  @Column({ name: 'version', type: 'integer', default: 0 })
  version: number;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /**
   * Unix milliseconds; `null` unless the family is dissolved. A dissolved family has no members and can be restored by
   * its owner.
   */
  @Column({ name: 'dissolved_at', type: 'bigint', nullable: true })
  dissolvedAt: number | null;

  /**
   * OWNER, or null for a dissolved family; computed by the database for the foreign key to the members and never read by
   * the app.
   */
  @Column({
    name: 'owner_role',
    type: 'smallint',
    nullable: true,
    asExpression: 'CASE WHEN dissolved_at IS NULL THEN 1::smallint END',
    generatedType: 'STORED',
    select: false,
    insert: false,
    update: false,
  })
  readonly ownerRole?: number | null;
}
