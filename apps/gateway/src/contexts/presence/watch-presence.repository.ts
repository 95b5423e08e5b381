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

/** Signs of life of watches. */
@Injectable()
export class WatchPresenceRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Stores signs in the open unit of work; answers who has come online by them. `patience`: milliseconds. */
  async store(summaries: readonly LivenessSummary[], patience: number): Promise<PrincipalKey[]> {
    const heard = summaries.filter(({ heardAt }) => heardAt !== null);
    const ended = summaries.filter(({ heardAt }) => heardAt === null);
    const names = summaries.map(({ principal }) => principal);
    const online = new Set(await this.lockOnline(names));
    await this.unitOfWork.executor.query(STORE_HEARD, [
      heard.map(({ principal }) => principal),
      heard.map(({ heardAt }) => heardAt),
      heard.map(({ endedAt }) => endedAt),
      heard.map(({ shutDownAt }) => shutDownAt),
      patience,
      heard.filter(({ startsAnew }) => startsAnew).map(({ principal }) => principal),
    ]);
    await this.storeDisconnects(ended);
    return heard.map(({ principal }) => principal).filter((principal) => !online.has(principal));
  }

  /** Remembers ends of connections, of watches that are known. */
  async storeDisconnects(ends: readonly { principal: PrincipalKey; endedAt: number | null }[]): Promise<void> {
    if (ends.length === 0) return;
    await this.unitOfWork.executor.query(STORE_ENDS, [
      ends.map(({ principal }) => principal),
      ends.map(({ endedAt }) => endedAt),
    ]);
  }

  /** When each was last heard of, Unix milliseconds; one that never was is left out. */
  findLastSeen(principals: readonly PrincipalKey[]): Promise<{ principal: PrincipalKey; lastSeen: number }[]> {
    return this.unitOfWork.executor.query(
      'SELECT principal, heard_at AS "lastSeen" FROM gateway.watch_presence WHERE principal = ANY($1::text[])',
      [principals],
    );
  }

  /** Takes watches that are due, for the open unit of work alone: what another process has taken is left to it. */
  claimDue(now: number, limit: number): Promise<WatchLivenessRow[]> {
    return this.unitOfWork.executor.query<WatchLivenessRow>(
      `SELECT principal, online, settled, heard_at AS "heardAt", ended_at AS "endedAt", shut_down_at AS "shutDownAt"
       FROM gateway.watch_presence WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [now, limit],
    );
  }

  /** Stores what was judged of watches that {@link claimDue} has locked. */
  async storeUpdates(watches: readonly WatchLivenessUpdate[]): Promise<void> {
    await this.unitOfWork.executor.query(
      `UPDATE gateway.watch_presence AS known
       SET online = judged.online, settled = judged.settled, due_at = judged.due_at
       FROM unnest($1::text[], $2::boolean[], $3::boolean[], $4::bigint[]) AS judged (principal, online, settled, due_at)
       WHERE known.principal = judged.principal`,
      [
        watches.map(({ principal }) => principal),
        watches.map(({ online }) => online),
        watches.map(({ settled }) => settled),
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

/** A due time that stands is kept: it comes too early and then the row is looked at again, seldom. */
const STORE_HEARD = `
  INSERT INTO gateway.watch_presence AS known
    (principal, online, settled, heard_at, ended_at, shut_down_at, due_at)
  SELECT principal, true, false, heard_at, ended_at, shut_down_at, heard_at + $5::bigint
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) AS sign (principal, heard_at, ended_at, shut_down_at)
  ORDER BY principal
  ON CONFLICT (principal) DO UPDATE SET
    online = true,
    settled = false,
    heard_at = greatest(known.heard_at, excluded.heard_at),
    ended_at = CASE WHEN excluded.principal = ANY($6::text[])
      THEN excluded.ended_at ELSE coalesce(excluded.ended_at, known.ended_at) END,
    shut_down_at = CASE WHEN excluded.principal = ANY($6::text[])
      THEN excluded.shut_down_at ELSE coalesce(excluded.shut_down_at, known.shut_down_at) END,
    due_at = coalesce(known.due_at, excluded.due_at)`;

const STORE_ENDS = `
  UPDATE gateway.watch_presence AS known SET ended_at = greatest(known.ended_at, said.ended_at)
  FROM (SELECT principal, max(ended_at) AS ended_at
        FROM unnest($1::text[], $2::bigint[]) AS each (principal, ended_at)
        GROUP BY principal ORDER BY principal) AS said
  WHERE known.principal = said.principal`;
