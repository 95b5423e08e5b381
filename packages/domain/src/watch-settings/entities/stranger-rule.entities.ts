import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { BlockCause, CallOutcome } from '../contracts/stranger-rule.js';

/** Whether the watch of a child blocks calls from strangers. A child without a row has the default, which is to block. */
@Entity({ name: 'stranger_rule', schema: 'userctx' })
export class StrangerRuleEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'stranger_rule_pk' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'enabled', type: 'boolean' })
  enabled: boolean;
}

/** A number that may call a child although it belongs to no contact. Times are Unix milliseconds. */
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

  /** With `+`. */
  @Column({ name: 'area_code', type: 'text' })
  areaCode: string;

  @Column({ name: 'phone_number', type: 'text' })
  phoneNumber: string;

  /** True if the number is allowed for one call only. */
  @Column({ name: 'once', type: 'boolean' })
  once: boolean;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}

/**
 * A call from a stranger as reported by the watch, blocked or allowed. A unique constraint of the migration identifies
 * the call by watch, time and number, so that a repeated report is stored once. Times are Unix milliseconds.
 */
@Entity({ name: 'blocked_call', schema: 'userctx' })
@Check('blocked_call_cause_check', `cause IN ('STRANGER', 'SCHOOL_TIME')`)
@Check('blocked_call_outcome_check', `outcome IN ('BLOCKED', 'ALLOWED')`)
@Index('blocked_call_age', ['reportedAt'])
@Index('blocked_call_list', { synchronize: false })
export class BlockedCallEntity {
  @PrimaryColumn({ name: 'call_id', type: 'uuid', primaryKeyConstraintName: 'blocked_call_pk' })
  callId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  /** Time of the call on the watch's clock. */
  @Column({ name: 'time', type: 'bigint' })
  time: number;

  /** Null, like `phoneNumber`, if the caller withheld the number. */
  @Column({ name: 'area_code', type: 'text', nullable: true })
  areaCode: string | null;

  @Column({ name: 'phone_number', type: 'text', nullable: true })
  phoneNumber: string | null;

  @Column({ name: 'cause', type: 'text' })
  cause: BlockCause;

  /** When the service received the report. */
  @Column({ name: 'reported_at', type: 'bigint' })
  reportedAt: number;

  @Column({ name: 'outcome', type: 'text', default: 'BLOCKED' })
  outcome: CallOutcome;
}
