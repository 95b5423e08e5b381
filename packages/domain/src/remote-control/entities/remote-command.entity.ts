import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'remote_command', schema: 'userctx' })
@Check('remote_command_command_check', `command = ANY (ARRAY['SHUTDOWN'::text, 'REBOOT'::text, 'FIND'::text])`)
@Check(
  'remote_command_state_check',
  `state = ANY (ARRAY['QUEUED'::text, 'SENT'::text, 'ACKED'::text, 'DONE'::text, 'REJECTED'::text, 'EXPIRED'::text, 'CANCELLED'::text])`,
)
@Index('remote_command_age', ['queuedAt'])
@Index('remote_command_due', ['dueAt'], { where: `state = ANY (ARRAY['QUEUED'::text, 'SENT'::text, 'ACKED'::text])` })
@Index('remote_command_of_child', ['cid'])
@Index('remote_command_of_watch', { synchronize: false }) // CREATE INDEX remote_command_of_watch ON userctx.remote_command USING btree (did, queued_at DESC, command_id DESC)
@Index('remote_command_one_waiting', ['did', 'command'], {
  unique: true,
  where: `state = ANY (ARRAY['QUEUED'::text, 'SENT'::text])`,
})
export class RemoteCommandEntity {
  @PrimaryColumn({ name: 'command_id', type: 'uuid', primaryKeyConstraintName: 'remote_command_pk' })
  commandId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'command', type: 'text' })
  command: string;

  @Column({ name: 'state', type: 'text' })
  state: string;

  @Column({ name: 'by', type: 'text' })
  by: string;

  @Column({ name: 'queued_at', type: 'bigint' })
  queuedAt: number;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;

  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt: number;

  @Column({ name: 'reason', type: 'text', nullable: true })
  reason: string | null;
}
