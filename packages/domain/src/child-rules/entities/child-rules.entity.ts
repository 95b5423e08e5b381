import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ChildRules } from '../contracts/child-rules.js';

/** The communication rules of a child as userctx last published them. */
@Entity({ name: 'child_rules', schema: 'userctx' })
@Index('ix_child_rules_untold', ['cid'], { where: 'rules IS NULL' })
export class ChildRulesEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'pk_child_rules' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** Version of the last published rules; 0 if no rules were published. */
  @Column({ name: 'version', type: 'integer', default: 0 })
  version: number;

  /** The last published rules; null if no rules were published. */
  @Column({ name: 'rules', type: 'json', nullable: true })
  rules: Omit<ChildRules, 'version'> | null;
}
