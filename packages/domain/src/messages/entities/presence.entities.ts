import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'node', schema: 'gateway' })
export class NodeEntity {
  @PrimaryColumn({ name: 'node_id', type: 'uuid', primaryKeyConstraintName: 'pk_node' })
  nodeId: string;

  @Column({ name: 'beat_at', type: 'bigint' })
  beatAt: number;

  @Column({ name: 'listening_since', type: 'bigint' })
  listeningSince: number;
}

/** TODO */
@Entity({ name: 'connection', schema: 'gateway' })
@Index('ix_connection_node', ['nodeId'])
@Index('ix_connection_principal', ['principal'])
export class ConnectionEntity {
  @PrimaryColumn({ name: 'connection_id', type: 'text', primaryKeyConstraintName: 'pk_connection' })
  connectionId: string;

  @Column({ name: 'principal', type: 'text' })
  principal: string;

  @Column({ name: 'session', type: 'text' })
  session: string;

  @Column({ name: 'node_id', type: 'uuid' })
  nodeId: string;

  @Column({ name: 'opened_at', type: 'bigint' })
  openedAt: number;
}

/** TODO */
@Entity({ name: 'watch_presence', schema: 'gateway' })
@Index('ix_watch_presence_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
export class WatchPresenceEntity {
  @PrimaryColumn({ name: 'principal', type: 'text', primaryKeyConstraintName: 'pk_watch_presence' })
  principal: string;

  @Column({ name: 'online', type: 'boolean' })
  online: boolean;

  @Column({ name: 'settled', type: 'boolean' })
  settled: boolean;

  @Column({ name: 'heard_at', type: 'bigint' })
  heardAt: number;

  @Column({ name: 'ended_at', type: 'bigint', nullable: true })
  endedAt: number | null;

  @Column({ name: 'shut_down_at', type: 'bigint', nullable: true })
  shutDownAt: number | null;

  @Column({ name: 'due_at', type: 'bigint', nullable: true })
  dueAt: number | null;
}
