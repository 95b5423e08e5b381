import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** TODO */
@Entity({ name: 'stranger_rule', schema: 'userctx' })
export class StrangerRuleEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'stranger_rule_pk' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'enabled', type: 'boolean' })
  enabled: boolean;
}

/** TODO */
@Entity({ name: 'allowed_number', schema: 'userctx' })
@Index('allowed_number_child', ['cid'])
@Index('allowed_number_expiry', ['expiresAt'])
export class AllowedNumberEntity {
  @PrimaryColumn({ name: 'allow_id', type: 'uuid', primaryKeyConstraintName: 'allowed_number_pk' })
  allowId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'area_code', type: 'text' })
  areaCode: string;

  @Column({ name: 'phone_number', type: 'text' })
  phoneNumber: string;

  @Column({ name: 'once', type: 'boolean' })
  once: boolean;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}

/** TODO */
@Entity({ name: 'blocked_call', schema: 'userctx' })
@Check('blocked_call_cause_check', `cause = ANY (ARRAY['STRANGER'::text, 'SCHOOL_TIME'::text])`)
@Unique('blocked_call_once', ['cid', 'did', 'time', 'areaCode', 'phoneNumber']) // TODO NULLS NOT DISTINCT
@Check('blocked_call_outcome_check', `outcome = ANY (ARRAY['BLOCKED'::text, 'ALLOWED'::text])`)
@Index('blocked_call_age', ['reportedAt'])
@Index('blocked_call_list', { synchronize: false }) // CREATE INDEX blocked_call_list ON userctx.blocked_call USING btree (cid, "time" DESC, call_id DESC) WHERE (outcome = 'BLOCKED'::text)
export class BlockedCallEntity {
  @PrimaryColumn({ name: 'call_id', type: 'uuid', primaryKeyConstraintName: 'blocked_call_pk' })
  callId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'time', type: 'bigint' })
  time: number;

  @Column({ name: 'area_code', type: 'text', nullable: true })
  areaCode: string | null;

  @Column({ name: 'phone_number', type: 'text', nullable: true })
  phoneNumber: string | null;

  @Column({ name: 'cause', type: 'text' })
  cause: string;

  @Column({ name: 'reported_at', type: 'bigint' })
  reportedAt: number;

  @Column({ name: 'outcome', type: 'text', default: () => `'BLOCKED'::text` })
  outcome: string;
}
