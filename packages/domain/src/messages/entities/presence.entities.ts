import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/** A running process of the gateway, with its lease. Times are Unix milliseconds. */
@Entity({ schema: 'gateway', name: 'node' })
export class NodeEntity {
  @PrimaryColumn({ name: 'node_id', type: 'uuid', primaryKeyConstraintName: 'node_pkey' })
  nodeId: string;

  /** Last renewal of the lease, by the clock of the database. */
  @Column({ name: 'beat_at', type: 'bigint' })
  leaseRenewedAt: number;

  /** Time since which at least one node has had a valid lease without interruption. */
  @Column({ name: 'listening_since', type: 'bigint' })
  servingSince: number;
}

/** An open connection of a principal. */
@Entity({ schema: 'gateway', name: 'connection' })
@Index('connection_node', ['nodeId'])
@Index('connection_principal', ['principal'])
export class ConnectionEntity {
  /** Id of the socket: 120 random bits. */
  @PrimaryColumn({ name: 'connection_id', type: 'text', primaryKeyConstraintName: 'connection_pkey' })
  connectionId: string;

  @Column({ name: 'principal', type: 'text' })
  principal: PrincipalKey;

  @Column({ name: 'session', type: 'text' })
  session: string;

  @Column({ name: 'node_id', type: 'uuid' })
  nodeId: string;

  /** Unix milliseconds. */
  @Column({ name: 'opened_at', type: 'bigint' })
  openedAt: number;
}

/** Whether a watch is online, and when it was last seen. Times are Unix milliseconds. */
@Entity({ schema: 'gateway', name: 'watch_presence' })
@Index('watch_presence_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
export class WatchPresenceEntity {
  @PrimaryColumn({ name: 'principal', type: 'text', primaryKeyConstraintName: 'watch_presence_pkey' })
  principal: PrincipalKey;

  @Column({ name: 'online', type: 'boolean' })
  online: boolean;

  /** True if the gateway has processed the current offline period completely; false while the watch is online. */
  @Column({ name: 'settled', type: 'boolean' })
  offlinePeriodHandled: boolean;

  /** Time of the watch's last heartbeat or connection. */
  @Column({ name: 'heard_at', type: 'bigint' })
  lastSeenAt: number;

  /** Time when a connection of the watch last ended, or `null` if the watch has connected since. */
  @Column({ name: 'ended_at', type: 'bigint', nullable: true })
  disconnectedAt: number | null;

  /** Time when the watch last announced its shutdown, or `null` if the watch has connected since. */
  @Column({ name: 'shut_down_at', type: 'bigint', nullable: true })
  shutDownAt: number | null;

  /** When the presence must next be evaluated; `null` if only a connection or message of the watch can change it. */
  @Column({ name: 'due_at', type: 'bigint', nullable: true })
  dueAt: number | null;
}
