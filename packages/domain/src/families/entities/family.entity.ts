import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A family. A constraint ensures that the owner is the only member with the role OWNER. */
@Entity({ schema: 'userctx', name: 'family' })
export class FamilyEntity {
  @PrimaryColumn({ name: 'family_id', type: 'uuid', primaryKeyConstraintName: 'family_pk' })
  familyId: string;

  @Column({ name: 'owner_user_id', type: 'uuid' })
  ownerUserId: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  /** Increases with every change of members, children or watches. */
  @Column({ name: 'version', type: 'integer' })
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
}
