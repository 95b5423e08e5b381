import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import type { LivenessSummary } from './liveness-event.js';
import type { WatchLivenessState } from './watch-liveness.js';

export interface WatchLivenessRow extends WatchLivenessState {
  principal: PrincipalKey;
}

export interface WatchLivenessUpdate extends WatchLivenessRow {
  /** Unix milliseconds. */
  dueAt: number | null;
}

/** Stores the liveness of watches. */
@Injectable()
export class WatchPresenceRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Stores summaries in the current transaction; returns the watches that were offline before and are online now. */
  async store(summaries: readonly LivenessSummary[], timeoutMs: number): Promise<PrincipalKey[]> {
    const seen = summaries.filter(({ lastSeenAt }) => lastSeenAt !== null);
    const disconnected = summaries.filter(({ lastSeenAt }) => lastSeenAt === null);
    const online = new Set(await this.lockOnline(summaries.map(({ principal }) => principal)));
    await this.unitOfWork.executor.query(STORE_SEEN_WATCHES, [
      seen.map(({ principal }) => principal),
      seen.map(({ lastSeenAt }) => lastSeenAt),
      seen.map(({ disconnectedAt }) => disconnectedAt),
      seen.map(({ shutDownAt }) => shutDownAt),
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
    await this.unitOfWork.executor.query(STORE_DISCONNECTS, [
      disconnects.map(({ principal }) => principal),
      disconnects.map(({ disconnectedAt }) => disconnectedAt),
    ]);
  }

  /** Returns when each watch was last seen (Unix milliseconds); omits watches that were never seen. */
  findLastSeen(principals: readonly PrincipalKey[]): Promise<{ principal: PrincipalKey; lastSeen: number }[]> {
    return this.unitOfWork.executor.query(
      'SELECT principal, heard_at AS "lastSeen" FROM gateway.watch_presence WHERE principal = ANY($1::text[])',
      [principals],
    );
  }

  /**
   * Returns due watches and locks them until the current transaction ends. Skips rows that another process has locked.
   */
  claimDue(now: number, limit: number): Promise<WatchLivenessRow[]> {
    return this.unitOfWork.executor.query<WatchLivenessRow>(
      `SELECT principal, online, settled AS "offlinePeriodHandled", heard_at AS "lastSeenAt", ended_at AS "disconnectedAt",
         shut_down_at AS "shutDownAt"
       FROM gateway.watch_presence WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [now, limit],
    );
  }

  /** Stores the new state of watches that {@link claimDue} has locked. */
  async storeUpdates(watches: readonly WatchLivenessUpdate[]): Promise<void> {
    await this.unitOfWork.executor.query(
      `UPDATE gateway.watch_presence AS watch
       SET online = updated.online, settled = updated.settled, due_at = updated.due_at
       FROM unnest($1::text[], $2::boolean[], $3::boolean[], $4::bigint[])
         AS updated (principal, online, settled, due_at)
       WHERE watch.principal = updated.principal`,
      [
        watches.map(({ principal }) => principal),
        watches.map(({ online }) => online),
        watches.map(({ offlinePeriodHandled }) => offlinePeriodHandled),
        watches.map(({ dueAt }) => dueAt),
      ],
    );
  }

  private async lockOnline(principals: readonly PrincipalKey[]): Promise<PrincipalKey[]> {
    const rows = await this.unitOfWork.executor.query<{ principal: PrincipalKey; online: boolean }>(
      `SELECT principal, online FROM gateway.watch_presence
       WHERE principal = ANY($1::text[]) ORDER BY principal FOR UPDATE`,
      [principals],
    );
    return rows.filter(({ online }) => online).map(({ principal }) => principal);
  }
}

/**
 * Inserts or updates watches that were seen. An existing `due_at` is kept, so the watch may be evaluated once too
 * early, which is rare.
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
