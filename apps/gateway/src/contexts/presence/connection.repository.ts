import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';

/** The lease of a node, which also covers its connections, expires after this time without renewal. Milliseconds. */
const NODE_LEASE_MS = 9_000;

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

/** Stores gateway nodes with their leases, and their open connections. */
@Injectable()
export class ConnectionRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  async insert(nodeId: string, connections: readonly OpenConnection[]): Promise<void> {
    if (connections.length === 0) return;
    await this.unitOfWork.executor.query(
      `INSERT INTO gateway.connection (connection_id, principal, session, opened_at, node_id)
       SELECT *, $5::uuid FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
       ON CONFLICT (connection_id) DO NOTHING`,
      [
        connections.map(({ connectionId }) => connectionId),
        connections.map(({ principal }) => principal),
        connections.map(({ session }) => session),
        connections.map(({ openedAt }) => openedAt),
        nodeId,
      ],
    );
  }

  async delete(connectionIds: readonly string[]): Promise<void> {
    if (connectionIds.length === 0) return;
    await this.unitOfWork.executor.query('DELETE FROM gateway.connection WHERE connection_id = ANY($1::text[])', [
      connectionIds,
    ]);
  }

  /** Replaces a node's connections with the given ones. */
  async replace(nodeId: string, connections: readonly OpenConnection[]): Promise<void> {
    const openIds = connections.map(({ connectionId }) => connectionId);
    await this.unitOfWork.executor.query(
      'DELETE FROM gateway.connection WHERE node_id = $1::uuid AND NOT connection_id = ANY($2::text[])',
      [nodeId, openIds],
    );
    await this.insert(nodeId, connections);
  }

  /**
   * Returns the principals that have a connection on a node with a valid lease. A watch counts only if it was last seen
   * after `seenAfter` (Unix milliseconds).
   */
  async findConnected(principals: readonly PrincipalKey[], seenAfter: number): Promise<PrincipalKey[]> {
    const rows = await this.unitOfWork.executor.query<{ principal: PrincipalKey }>(
      `SELECT DISTINCT principal
       FROM gateway.connection
       JOIN gateway.node USING (node_id)
       LEFT JOIN gateway.watch_presence AS watch USING (principal)
       WHERE principal = ANY($1::text[]) AND beat_at > ${LEASE_CUTOFF_SQL} AND coalesce(watch.heard_at > $2, true)`,
      [principals, seenAfter],
    );
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
    const [row] = await this.unitOfWork.executor.query<{ since: number | null }>(
      `SELECT min(listening_since) AS since FROM gateway.node WHERE beat_at > ${LEASE_CUTOFF_SQL}`,
    );
    return row?.since ?? undefined;
  }

  /**
   * Deletes nodes with expired leases and their connections, in the current transaction. Skips nodes that another
   * process has locked.
   */
  async removeExpiredNodes(): Promise<ExpiredConnection[]> {
    return this.unitOfWork.executor.query<ExpiredConnection>(
      `WITH expired AS (
         SELECT node_id FROM gateway.node WHERE beat_at <= ${LEASE_CUTOFF_SQL} FOR UPDATE SKIP LOCKED
       ), removed AS (
         DELETE FROM gateway.node USING expired WHERE node.node_id = expired.node_id RETURNING node.node_id, beat_at
       )
       DELETE FROM gateway.connection USING removed WHERE connection.node_id = removed.node_id
       RETURNING principal, beat_at AS "disconnectedAt"`,
    );
  }

  /** Deletes a node and its connections when it shuts down. */
  async removeNode(nodeId: string): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM gateway.connection WHERE node_id = $1', [nodeId]);
    await this.unitOfWork.executor.query('DELETE FROM gateway.node WHERE node_id = $1', [nodeId]);
  }
}

const LEASE_CUTOFF_SQL = `(${DATABASE_NOW_MS_SQL} - ${NODE_LEASE_MS})`;

/** Renews the lease of a node. If no node had a valid lease before, sets `listening_since` to the time `$2`. */
const RENEW_LEASE = `
  WITH before AS (
    SELECT min(listening_since) AS since, coalesce(bool_or(node_id = $1::uuid), false) AS was_valid
    FROM gateway.node WHERE beat_at > ${LEASE_CUTOFF_SQL}
  )
  INSERT INTO gateway.node (node_id, beat_at, listening_since)
  SELECT $1::uuid, ${DATABASE_NOW_MS_SQL}, coalesce(since, $2::bigint) FROM before
  ON CONFLICT (node_id) DO UPDATE SET beat_at = excluded.beat_at, listening_since = excluded.listening_since
  RETURNING (SELECT was_valid FROM before) AS "wasValid"`;
