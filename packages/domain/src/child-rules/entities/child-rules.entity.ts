import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'child_rules', schema: 'userctx' })
@Index('ix_child_rules_untold', ['cid'], { where: 'rules IS NULL' })
export class ChildRulesEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'pk_child_rules' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'version', type: 'integer', default: 0 })
  version: number;

  @Column({ name: 'rules', type: 'json', nullable: true })
  rules: unknown | null;
}
