import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ChildRules } from '../contracts/child-rules.js';

/** The communication rules of a child as userctx last published them. */
@Entity({ name: 'child_rules', schema: 'userctx' })
@Index('child_rules_unpublished', ['cid'], { where: 'rules IS NULL' })
export class ChildRulesEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'child_rules_pkey' })
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
