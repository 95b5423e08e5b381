import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { CommandState, RemoteCommand } from '../contracts/remote-command.js';

/**
 * A remote command to the watch that was bound to the child when the command was issued. A watch has at most one
 * command of each kind that it has not started. Times are Unix milliseconds.
 */
@Entity({ name: 'remote_command', schema: 'userctx' })
@Check('remote_command_command_check', `command IN ('SHUTDOWN', 'REBOOT', 'FIND')`)
@Check('remote_command_state_check', `state IN ('QUEUED', 'SENT', 'ACKED', 'DONE', 'REJECTED', 'EXPIRED', 'CANCELLED')`)
@Index('remote_command_age', ['queuedAt'])
@Index('remote_command_by', ['by'])
@Index('remote_command_due', ['dueAt'], { where: `state IN ('QUEUED', 'SENT', 'ACKED')` })
@Index('remote_command_of_child', ['cid'])
@Index('remote_command_of_watch', { synchronize: false })
@Index('remote_command_one_waiting', ['did', 'command'], {
  unique: true,
  where: `state IN ('QUEUED', 'SENT')`,
})
export class RemoteCommandEntity {
  @PrimaryColumn({ name: 'command_id', type: 'uuid', primaryKeyConstraintName: 'remote_command_pkey' })
  commandId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'command', type: 'text' })
  command: RemoteCommand;

  @Column({ name: 'state', type: 'text' })
  state: CommandState;

  @Column({ name: 'by', type: 'text' })
  by: PrincipalKey;

  @Column({ name: 'queued_at', type: 'bigint' })
  queuedAt: number;

  /** Time after which the watch must not start the command. */
  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;

  /** When the command becomes EXPIRED unless its state changes before. */
  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt: number;

  /** Why the watch rejected the command; null if it did not report a reason. */
  @Column({ name: 'reason', type: 'text', nullable: true })
  reason: string | null;
}
