import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

/** A node that has not renewed its lease for this long counts as dead, and its connections with it. Milliseconds. */
const NODE_LEASE_MS = 9_000;

export interface OpenConnection {
  /** Of the socket: random, 120 bits. */
  connectionId: string;
  principal: PrincipalKey;
  session: string;
  /** Unix milliseconds. */
  openedAt: number;
}

export interface ExpiredConnection {
  principal: PrincipalKey;
  /** Last sign of life of the node that held it. Unix milliseconds. */
  endedAt: number;
}

/** Nodes with their leases, and the connections that they hold. */
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

  /** Makes the rows of a node those of the connections it holds. */
  async replace(nodeId: string, connections: readonly OpenConnection[]): Promise<void> {
    const held = connections.map(({ connectionId }) => connectionId);
    await this.unitOfWork.executor.query(
      'DELETE FROM gateway.connection WHERE node_id = $1::uuid AND NOT connection_id = ANY($2::text[])',
      [nodeId, held],
    );
    await this.insert(nodeId, connections);
  }

  /**
   * Who has a connection on a living node; a watch only if it was heard of after `heardAfter` (Unix milliseconds).
   */
  async findConnected(principals: readonly PrincipalKey[], heardAfter: number): Promise<PrincipalKey[]> {
    const rows = await this.unitOfWork.executor.query<{ principal: PrincipalKey }>(
      `SELECT DISTINCT principal
       FROM gateway.connection
       JOIN gateway.node USING (node_id)
       LEFT JOIN gateway.watch_presence AS watch USING (principal)
       WHERE principal = ANY($1::text[]) AND beat_at > ${LEASE_START} AND coalesce(watch.heard_at > $2, true)`,
      [principals, heardAfter],
    );
    return rows.map(({ principal }) => principal);
  }

  /** Renews the lease of a node; `false` if there was none: others may have taken the node for dead. */
  async renewLease(nodeId: string, now: number): Promise<boolean> {
    const [lease] = await this.unitOfWork.executor.query<{ stood: boolean }>(BEAT, [nodeId, now]);
    return lease?.stood ?? false;
  }

  /** Since when some node has been listening without a gap; `undefined` while none is. Unix milliseconds. */
  async findServingSince(): Promise<number | undefined> {
    const [row] = await this.unitOfWork.executor.query<{ since: number | null }>(
      `SELECT min(listening_since) AS since FROM gateway.node WHERE beat_at > ${LEASE_START}`,
    );
    return row?.since ?? undefined;
  }

  /** Removes dead nodes and what they held, in the open unit of work. Another process's share is left to it. */
  async removeExpiredNodes(): Promise<ExpiredConnection[]> {
    return this.unitOfWork.executor.query<ExpiredConnection>(
      `WITH dead AS (
         SELECT node_id FROM gateway.node WHERE beat_at <= ${LEASE_START} FOR UPDATE SKIP LOCKED
       ), gone AS (
         DELETE FROM gateway.node USING dead WHERE node.node_id = dead.node_id RETURNING node.node_id, beat_at
       )
       DELETE FROM gateway.connection USING gone WHERE connection.node_id = gone.node_id
       RETURNING principal, beat_at AS "endedAt"`,
    );
  }

  /** A node that ends takes its rows along. */
  async removeNode(nodeId: string): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM gateway.connection WHERE node_id = $1', [nodeId]);
    await this.unitOfWork.executor.query('DELETE FROM gateway.node WHERE node_id = $1', [nodeId]);
  }
}

const LEASE_START = `(${DATABASE_NOW_MS_SQL} - ${NODE_LEASE_MS})`;

/** Who finds nobody listening, itself included, begins to listen now. */
const BEAT = `
  WITH before AS (
    SELECT min(listening_since) AS since, coalesce(bool_or(node_id = $1::uuid), false) AS stood
    FROM gateway.node WHERE beat_at > ${LEASE_START}
  )
  INSERT INTO gateway.node (node_id, beat_at, listening_since)
  SELECT $1::uuid, ${DATABASE_NOW_MS_SQL}, coalesce(since, $2::bigint) FROM before
  ON CONFLICT (node_id) DO UPDATE SET beat_at = excluded.beat_at, listening_since = excluded.listening_since
  RETURNING (SELECT stood FROM before)`;
