import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A family; its owner is also its one member with the role OWNER, which a constraint sees to. */
@Entity({ schema: 'userctx', name: 'family' })
export class FamilyEntity {
  @PrimaryColumn({ name: 'family_id', type: 'uuid', primaryKeyConstraintName: 'family_pk' })
  familyId: string;

  @Column({ name: 'owner_user_id', type: 'uuid' })
  ownerUserId: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  /** Rises with every change of who belongs to the family. */
  @Column({ name: 'version', type: 'integer' })
  version: number;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** Unix milliseconds; `null` while the family exists. Its members are gone then, its owner can bring it back. */
  @Column({ name: 'dissolved_at', type: 'bigint', nullable: true })
  dissolvedAt: number | null;
}
