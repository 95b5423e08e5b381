import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'family', schema: 'gateway' })
@Index('ix_family_changed', ['changedAt'])
export class FamilyProjectionEntity {
  @PrimaryColumn({ name: 'family_id', type: 'text', primaryKeyConstraintName: 'pk_family' })
  familyId: string;

  @Column({ name: 'version', type: 'bigint' })
  version: number;

  @Column({ name: 'snapshot', type: 'json' })
  snapshot: unknown;

  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt: number;
}

/** TODO */
@Entity({ name: 'family_principal', schema: 'gateway' })
@ForeignKey(() => FamilyProjectionEntity, ['familyId'], ['familyId'], { name: 'fk_family_principal_family' })
@Index('ix_family_principal_principal', ['principal'])
export class FamilyPrincipalEntity {
  @PrimaryColumn({ name: 'family_id', type: 'text', primaryKeyConstraintName: 'pk_family_principal' })
  familyId: string;

  @PrimaryColumn({ name: 'principal', type: 'text', primaryKeyConstraintName: 'pk_family_principal' })
  principal: string;
}

/** TODO */
@Entity({ name: 'child_position', schema: 'gateway' })
@Index('ix_child_position_family', ['familyId'])
export class LatestLocationEntity {
  @PrimaryColumn({ name: 'cid', type: 'text', primaryKeyConstraintName: 'pk_child_position' })
  cid: string;

  @Column({ name: 'family_id', type: 'text' })
  familyId: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'message_id', type: 'uuid' })
  messageId: string;

  @Column({ name: 'time', type: 'bigint' })
  time: number;

  @Column({ name: 'location', type: 'json' })
  location: unknown;
}

/** TODO */
@Entity({ name: 'cloud_content', schema: 'gateway' })
@Index('ix_cloud_content_family', ['familyId'])
export class CloudContentProjectionEntity {
  @PrimaryColumn({ name: 'content_id', type: 'text', primaryKeyConstraintName: 'pk_cloud_content' })
  contentId: string;

  @Column({ name: 'family_id', type: 'text' })
  familyId: string;
}

/** TODO */
@Entity({ name: 'child_rules', schema: 'gateway' })
@Index('ix_child_rules_changed', ['changedAt'])
export class ChildRulesProjectionEntity {
  @PrimaryColumn({ name: 'cid', type: 'text', primaryKeyConstraintName: 'pk_child_rules' })
  cid: string;

  @Column({ name: 'version', type: 'integer' })
  version: number;

  @Column({ name: 'rules', type: 'json' })
  rules: unknown;

  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt: number;
}
