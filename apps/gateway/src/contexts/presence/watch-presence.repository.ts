import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { WatchPresenceEntity } from '@family-watch/domain/messages/entities/presence.entities';
import { Any, LessThanOrEqual } from 'typeorm';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import type { LivenessSummary } from './watch-liveness.js';
import { LOCK_WATCHES, STORE_DISCONNECTS, STORE_SEEN_WATCHES, UPDATE_WATCHES } from './watch-presence.sql.js';

export type WatchLivenessUpdate = Pick<WatchPresenceEntity, 'principal' | 'online' | 'offlinePeriodHandled' | 'dueAt'>;

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

  /** Returns the presence of these watches; omits watches that were never seen. */
  find(principals: readonly PrincipalKey[]): Promise<WatchPresenceEntity[]> {
    return this.table.findBy({ principal: Any(principals) });
  }

  /**
   * Returns due watches and locks them until the current transaction ends. Skips rows that another process has locked.
   */
  claimDue(now: number, limit: number): Promise<WatchPresenceEntity[]> {
    return this.table.find({
      where: { dueAt: LessThanOrEqual(now) },
      order: { dueAt: 'ASC' },
      take: limit,
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
  }

  /** Stores the new state of watches that {@link claimDue} has locked. */
  async storeUpdates(watches: readonly WatchLivenessUpdate[]): Promise<void> {
    await this.unitOfWork.executor.query(UPDATE_WATCHES, [
      watches.map(({ principal }) => principal),
      watches.map(({ online }) => online),
      watches.map(({ offlinePeriodHandled }) => offlinePeriodHandled),
      watches.map(({ dueAt }) => dueAt),
    ]);
  }

  private async lockOnline(principals: readonly PrincipalKey[]): Promise<PrincipalKey[]> {
    const rows = await this.unitOfWork.executor.query<{ principal: PrincipalKey; online: boolean }>(LOCK_WATCHES, [
      principals,
    ]);
    return rows.filter(({ online }) => online).map(({ principal }) => principal);
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(WatchPresenceEntity);
  }
}
