import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import {
  ConnectionEntity,
  NodeEntity,
  WatchPresenceEntity,
} from '@family-watch/domain/messages/entities/presence.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { lockDue } from '@family-watch/platform/database/entity-queries';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { LEASE_CUTOFF_SQL } from '../../infrastructure/node-lease.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';

const INSERT_CONNECTIONS = `
  INSERT INTO gateway.connection (connection_id, principal, session, opened_at, node_id)
  SELECT *, $5::uuid FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
  ON CONFLICT (connection_id) DO NOTHING`;

const DELETE_CONNECTIONS = 'DELETE FROM gateway.connection WHERE connection_id = ANY($1::text[])';

const FIND_CONNECTED_PRINCIPALS = `
  SELECT DISTINCT principal
  FROM gateway.connection
  JOIN gateway.node USING (node_id)
  LEFT JOIN gateway.watch_presence AS watch USING (principal)
  WHERE principal = ANY($1::text[]) AND beat_at > ${LEASE_CUTOFF_SQL} AND coalesce(watch.heard_at > $2, true)`;

const FIND_SERVING_SINCE = `SELECT min(listening_since) AS since FROM gateway.node WHERE beat_at > ${LEASE_CUTOFF_SQL}`;

const REMOVE_EXPIRED_NODES = `
  WITH expired AS (
    SELECT node_id FROM gateway.node WHERE beat_at <= ${LEASE_CUTOFF_SQL} FOR UPDATE SKIP LOCKED
  ), removed AS (
    DELETE FROM gateway.node USING expired WHERE node.node_id = expired.node_id RETURNING node.node_id, beat_at
  )
  DELETE FROM gateway.connection USING removed WHERE connection.node_id = removed.node_id
  RETURNING principal, beat_at AS "disconnectedAt"`;

/** If no node had a valid lease before, sets `listening_since` to the time `$2`. */
const RENEW_LEASE = prepared(`
  WITH before AS (
    SELECT min(listening_since) AS since, coalesce(bool_or(node_id = $1::uuid), false) AS was_valid
    FROM gateway.node WHERE beat_at > ${LEASE_CUTOFF_SQL}
  )
  INSERT INTO gateway.node (node_id, beat_at, listening_since)
  SELECT $1::uuid, ${DATABASE_NOW_MS_SQL}, coalesce(since, $2::bigint) FROM before
  ON CONFLICT (node_id) DO UPDATE SET beat_at = excluded.beat_at, listening_since = excluded.listening_since
  RETURNING (SELECT was_valid FROM before) AS "wasValid"`);

const LOCK_WATCHES = `
  SELECT principal, online FROM gateway.watch_presence
  WHERE principal = ANY($1::text[]) ORDER BY principal FOR UPDATE`;

/**
 * An existing `due_at` is kept, because a change of this indexed column would prevent in-page (HOT) updates; the
 * evaluation of the watch sets the next `due_at`.
 */
const STORE_SEEN_WATCHES = `
  INSERT INTO gateway.watch_presence AS existing
    (principal, online, settled, heard_at, ended_at, shut_down_at, due_at)
  SELECT principal, true, false, heard_at, ended_at, shut_down_at, heard_at + $5::bigint
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[])
    AS seen (principal, heard_at, ended_at, shut_down_at)
  ORDER BY principal
  ON CONFLICT (principal) DO UPDATE SET
    online = true,
    settled = false,
    heard_at = greatest(existing.heard_at, excluded.heard_at),
    ended_at = CASE WHEN excluded.principal = ANY($6::text[])
      THEN excluded.ended_at ELSE coalesce(excluded.ended_at, existing.ended_at) END,
    shut_down_at = CASE WHEN excluded.principal = ANY($6::text[])
      THEN excluded.shut_down_at ELSE coalesce(excluded.shut_down_at, existing.shut_down_at) END,
    due_at = coalesce(existing.due_at, excluded.due_at)`;

const STORE_DISCONNECTS = `
  UPDATE gateway.watch_presence AS existing SET ended_at = greatest(existing.ended_at, latest.ended_at)
  FROM (SELECT principal, max(ended_at) AS ended_at
        FROM unnest($1::text[], $2::bigint[]) AS each (principal, ended_at)
        GROUP BY principal ORDER BY principal) AS latest
  WHERE existing.principal = latest.principal`;

const UPDATE_WATCHES = `
  UPDATE gateway.watch_presence AS watch
  SET online = updated.online, settled = updated.settled, due_at = updated.due_at
  FROM unnest($1::text[], $2::boolean[], $3::boolean[], $4::bigint[])
    AS updated (principal, online, settled, due_at)
  WHERE watch.principal = updated.principal`;

const DELETE_OTHER_CONNECTIONS = `DELETE FROM gateway.connection WHERE node_id = $1::uuid AND NOT connection_id = ANY($2::text[])`;

export interface OpenConnection {
  /** Id of the socket: 120 random bits. */
  connectionId: string;
  principal: PrincipalKey;
  session: string;
  /** Unix milliseconds. */
  openedAt: number;
}

export interface ExpiredConnection {
  principal: PrincipalKey;
  /** Last lease renewal of the connection's node, which counts as the end of the connection. Unix milliseconds. */
  disconnectedAt: number;
}

/** Combined effect of several liveness events of one watch. Times are Unix milliseconds. */
export interface LivenessSummary {
  principal: PrincipalKey;
  /** Time of the last event other than a disconnect, or `null` if all events were disconnects. */
  lastSeenAt: number | null;
  /** The watch has connected: an earlier disconnect or announced shutdown no longer applies. */
  isNewConnection: boolean;
  disconnectedAt: number | null;
  shutDownAt: number | null;
}

export type WatchLivenessUpdate = Pick<WatchPresenceEntity, 'principal' | 'online' | 'offlinePeriodHandled' | 'dueAt'>;

/** Stores gateway nodes with their leases, their open connections, and the liveness of watches. */
@Injectable()
export class PresenceRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  async insertConnections(nodeId: string, connections: readonly OpenConnection[]): Promise<void> {
    if (connections.length === 0) return;
    await this.unitOfWork.executor.query(INSERT_CONNECTIONS, [
      ...columnsOf(connections, 'connectionId', 'principal', 'session', 'openedAt'),
      nodeId,
    ]);
  }

  async deleteConnections(connectionIds: readonly string[]): Promise<void> {
    if (connectionIds.length === 0) return;
    await this.unitOfWork.executor.query(DELETE_CONNECTIONS, [connectionIds]);
  }

  /** Makes `connections` the only stored connections of the node. */
  async replaceConnections(nodeId: string, connections: readonly OpenConnection[]): Promise<void> {
    const openIds = connections.map(({ connectionId }) => connectionId);
    await this.unitOfWork.executor.query(DELETE_OTHER_CONNECTIONS, [nodeId, openIds]);
    await this.insertConnections(nodeId, connections);
  }

  /**
   * Returns the principals that have a connection on a node with a valid lease. A watch counts only if it was last seen
   * after `seenAfter` (Unix milliseconds).
   */
  async findConnected(principals: readonly PrincipalKey[], seenAfter: number): Promise<PrincipalKey[]> {
    const rows = await this.unitOfWork.executor.query<{ principal: PrincipalKey }>(FIND_CONNECTED_PRINCIPALS, [
      principals,
      seenAfter,
    ]);
    return rows.map(({ principal }) => principal);
  }

  /**
   * Renews a node's lease. Returns `false` if the lease had expired, because other nodes may have deleted the node's
   * connections.
   */
  async renewLease(nodeId: string, now: number): Promise<boolean> {
    const [lease] = await this.unitOfWork.executor.query<{ wasValid: boolean }>(RENEW_LEASE, [nodeId, now]);
    return lease?.wasValid ?? false;
  }

  /**
   * Returns the time (Unix milliseconds) since which at least one node has always had a valid lease, or `undefined` if
   * no node has a valid lease now.
   */
  async findServingSince(): Promise<number | undefined> {
    const [row] = await this.unitOfWork.executor.query<{ since: number | null }>(FIND_SERVING_SINCE);
    return row?.since ?? undefined;
  }

  /**
   * Deletes nodes with expired leases and their connections, in the current transaction. Skips nodes that another
   * process has locked.
   */
  async removeExpiredNodes(): Promise<ExpiredConnection[]> {
    return this.unitOfWork.executor.query<ExpiredConnection>(REMOVE_EXPIRED_NODES);
  }

  /** Deletes a node that shuts down, and its connections. */
  async removeNode(nodeId: string): Promise<void> {
    const { manager } = this.unitOfWork;
    await manager.delete(ConnectionEntity, { nodeId });
    await manager.delete(NodeEntity, { nodeId });
  }

  /** Stores summaries in the current transaction; returns the watches that were offline before and are online now. */
  async storeSummaries(summaries: readonly LivenessSummary[], timeoutMs: number): Promise<PrincipalKey[]> {
    const seen = summaries.filter(({ lastSeenAt }) => lastSeenAt !== null);
    const disconnected = summaries.filter(({ lastSeenAt }) => lastSeenAt === null);
    const online = new Set(await this.lockAndFindOnline(summaries.map(({ principal }) => principal)));
    await this.unitOfWork.executor.query(STORE_SEEN_WATCHES, [
      ...columnsOf(seen, 'principal', 'lastSeenAt', 'disconnectedAt', 'shutDownAt'),
      timeoutMs,
      seen.filter(({ isNewConnection }) => isNewConnection).map(({ principal }) => principal),
    ]);
    await this.storeDisconnects(disconnected);
    return seen.map(({ principal }) => principal).filter((principal) => !online.has(principal));
  }

  /** Stores disconnects of watches that already have a row; ignores other watches. */
  async storeDisconnects(
    disconnects: readonly { principal: PrincipalKey; disconnectedAt: number | null }[],
  ): Promise<void> {
    if (disconnects.length === 0) return;
    await this.unitOfWork.executor.query(STORE_DISCONNECTS, columnsOf(disconnects, 'principal', 'disconnectedAt'));
  }

  /** Returns the presence of these watches; omits watches that were never seen. */
  findWatches(principals: readonly PrincipalKey[]): Promise<WatchPresenceEntity[]> {
    return this.table.findBy({ principal: Any(principals) });
  }

  /**
   * Returns due watches and locks them until the current transaction ends. Skips rows that another process has locked.
   */
  claimDueWatches(now: number, limit: number): Promise<WatchPresenceEntity[]> {
    return lockDue(this.table, 'dueAt', now, limit);
  }

  /** Stores the new state of watches that {@link claimDueWatches} has locked. */
  async updateWatches(watches: readonly WatchLivenessUpdate[]): Promise<void> {
    await this.unitOfWork.executor.query(
      UPDATE_WATCHES,
      columnsOf(watches, 'principal', 'online', 'offlinePeriodHandled', 'dueAt'),
    );
  }

  private async lockAndFindOnline(principals: readonly PrincipalKey[]): Promise<PrincipalKey[]> {
    const rows = await this.unitOfWork.executor.query<{ principal: PrincipalKey; online: boolean }>(LOCK_WATCHES, [
      principals,
    ]);
    return rows.filter(({ online }) => online).map(({ principal }) => principal);
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(WatchPresenceEntity);
  }
}
