import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** TODO */
@Entity({ name: 'school_time', schema: 'userctx' })
@Check('school_time_not_empty', '(starts <> ends) AND ((cardinality(weekdays) + cardinality(extra_dates)) > 0)')
@Index('school_time_child', ['cid'])
export class SchoolTimeEntity {
  @PrimaryColumn({ name: 'school_time_id', type: 'uuid', primaryKeyConstraintName: 'school_time_pk' })
  schoolTimeId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'label', type: 'text' })
  label: string;

  @Column({ name: 'starts', type: 'text' })
  starts: string;

  @Column({ name: 'ends', type: 'text' })
  ends: string;

  @Column({ name: 'weekdays', type: 'smallint', array: true })
  weekdays: number[];

  @Column({ name: 'holidays', type: 'text', array: true })
  holidays: string[];

  @Column({ name: 'extra_dates', type: 'text', array: true })
  extraDates: string[];

  @Column({ name: 'allow_contacts', type: 'uuid', array: true })
  allowContacts: string[];

  @Column({ name: 'enabled', type: 'boolean' })
  enabled: boolean;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}

/** TODO */
@Entity({ name: 'school_pause', schema: 'userctx' })
export class SchoolPauseEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'school_pause_pk' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'paused_on', type: 'text' })
  pausedOn: string;
}

/** TODO */
@Entity({ name: 'school_early_exit', schema: 'userctx' })
@Unique('school_early_exit_once', ['cid', 'did', 'time'])
@Index('school_early_exit_age', ['reportedAt'])
@Index('school_early_exit_list', { synchronize: false }) // CREATE INDEX school_early_exit_list ON userctx.school_early_exit USING btree (cid, "time" DESC, exit_id DESC)
export class EarlyExitEntity {
  @PrimaryColumn({ name: 'exit_id', type: 'uuid', primaryKeyConstraintName: 'school_early_exit_pk' })
  exitId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'time', type: 'bigint' })
  time: number;

  @Column({ name: 'school_time_id', type: 'uuid', nullable: true })
  schoolTimeId: string | null;

  @Column({ name: 'reported_at', type: 'bigint' })
  reportedAt: number;
}
