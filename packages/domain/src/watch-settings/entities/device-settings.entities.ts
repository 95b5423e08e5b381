import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'settings_version', schema: 'userctx' })
@Check(
  'settings_version_answer_check',
  '(num_nulls(answered_by, answered_in, answered_version, answered_status) = ANY (ARRAY[0, 4])) AND ((answered_version >= 1) AND (answered_version <= version)) AND ((applied_version >= 1) AND (applied_version <= answered_version))',
)
@Check(
  'settings_version_resource_check',
  `resource = ANY (ARRAY['ALARM_CLOCK'::text, 'SCHOOL_DISABLE'::text, 'REJECT_STRANGER'::text, 'DEVICE'::text])`,
)
export class SettingsVersionEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'settings_version_pk' })
  cid: string;

  @PrimaryColumn({ name: 'resource', type: 'text', primaryKeyConstraintName: 'settings_version_pk' })
  resource: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'version', type: 'integer', default: 0 })
  version: number;

  @Column({ name: 'answered_by', type: 'bigint', nullable: true })
  answeredBy: number | null;

  @Column({ name: 'answered_in', type: 'bigint', nullable: true })
  answeredIn: number | null;

  @Column({ name: 'answered_version', type: 'integer', nullable: true })
  answeredVersion: number | null;

  @Column({ name: 'answered_status', type: 'text', nullable: true })
  answeredStatus: string | null;

  @Column({ name: 'answered_reason', type: 'text', nullable: true })
  answeredReason: string | null;

  @Column({ name: 'applied_version', type: 'integer', nullable: true })
  appliedVersion: number | null;
}

/** TODO */
@Entity({ name: 'device_settings', schema: 'userctx' })
@Check('device_settings_follow_check', `location_mode <> 'FOLLOW'::text`)
@Check(
  'device_settings_mode_check',
  `(location_mode = ANY (ARRAY['SAVE'::text, 'NORMAL'::text, 'FOLLOW'::text])) AND (temporary_mode = ANY (ARRAY['SAVE'::text, 'NORMAL'::text, 'FOLLOW'::text]))`,
)
@Check('device_settings_temporary_check', 'num_nulls(temporary_mode, temporary_until) = ANY (ARRAY[0, 2])')
export class DeviceSettingsEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'device_settings_pk' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'location_mode', type: 'text' })
  locationMode: string;

  @Column({ name: 'temporary_mode', type: 'text', nullable: true })
  temporaryMode: string | null;

  @Column({ name: 'temporary_until', type: 'bigint', nullable: true })
  temporaryUntil: number | null;

  @Column({ name: 'lost', type: 'boolean' })
  lost: boolean;

  @Column({ name: 'lost_message', type: 'text', nullable: true })
  lostMessage: string | null;

  @Column({ name: 'follow_until', type: 'bigint', nullable: true })
  followUntil: number | null;
}
