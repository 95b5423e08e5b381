import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { SosState } from '@family-watch/domain/sos/contracts/sos';
import type { TimeCursor } from '@family-watch/platform/http/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { SOS_TRANSITIONS } from './sos-state.js';
import type { SosTransition } from './sos-state.js';

/** A child's emergency call. Times are Unix milliseconds. */
export interface Sos {
  sosId: string;
  familyId: string;
  cid: string;
  did: number;
  state: SosState;
  raisedAt: number;
  lastRaisedAt: number;
  location: Location | null;
  acknowledgedBy: PrincipalKey | null;
  acknowledgedAt: number | null;
  resolvedBy: PrincipalKey | null;
  resolvedAt: number | null;
  /** When the next escalation step is due; null once the SOS is acknowledged. */
  nextStepAt: number | null;
}

export type NewSos = Pick<Sos, 'sosId' | 'familyId' | 'cid' | 'did' | 'raisedAt' | 'location'>;

export type SosKey = Pick<Sos, 'familyId' | 'cid' | 'sosId'>;

/** The actor and time of a transition. */
export interface SosTransitionContext {
  by: PrincipalKey | null;
  time: number;
}

/** Columns of {@link Sos}. */
export const SOS_COLUMNS = `sos_id as "sosId", family_id as "familyId", cid, did, state, raised_at as "raisedAt",
  last_raised_at as "lastRaisedAt", location, acknowledged_by as "acknowledgedBy",
  acknowledged_at as "acknowledgedAt", resolved_by as "resolvedBy", resolved_at as "resolvedAt",
  next_step_at as "nextStepAt"`;

@Injectable()
export class SosRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Finds the child's unresolved SOS. */
  async findActive(familyId: string, cid: string): Promise<Sos | undefined> {
    const [sos] = await this.unitOfWork.executor.query<Sos>(
      `select ${SOS_COLUMNS} from userctx.sos where cid = $1 and family_id = $2 and state <> 'RESOLVED'`,
      [cid, familyId],
    );
    return sos;
  }

  /** Finds the SOS that the watch raised at this time, according to the watch's clock. */
  async findByWatchTime(familyId: string, did: number, time: number): Promise<Sos | undefined> {
    const [sos] = await this.unitOfWork.executor.query<Sos>(
      `select ${SOS_COLUMNS} from userctx.sos
        where family_id = $1 and sos_id = (select sos_id from userctx.sos_raise where did = $2 and time = $3)`,
      [familyId, did, time],
    );
    return sos;
  }

  async find({ familyId, cid, sosId }: SosKey): Promise<Sos | undefined> {
    const [sos] = await this.unitOfWork.executor.query<Sos>(
      `select ${SOS_COLUMNS} from userctx.sos where sos_id = $1 and cid = $2 and family_id = $3`,
      [sosId, cid, familyId],
    );
    return sos;
  }

  async add({ sosId, familyId, cid, did, raisedAt, location }: NewSos): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.sos (sos_id, family_id, cid, did, state, raised_at, last_raised_at, location)
       values ($1, $2, $3, $4, 'RAISED', $5, $5, $6)`,
      [sosId, familyId, cid, did, raisedAt, location && JSON.stringify(location)],
    );
  }

  /** Updates the SOS when the child raises it again. If the new location is unknown, the previous one is kept. */
  async raiseAgain(familyId: string, sosId: string, time: number, location: Location | null): Promise<void> {
    await this.unitOfWork.executor.query(
      `update userctx.sos set last_raised_at = greatest(last_raised_at, $3), location = coalesce($4::jsonb, location)
        where sos_id = $1 and family_id = $2`,
      [sosId, familyId, time, location && JSON.stringify(location)],
    );
  }

  async recordRaise(did: number, time: number, sosId: string): Promise<void> {
    await this.unitOfWork.executor.query('insert into userctx.sos_raise (did, time, sos_id) values ($1, $2, $3)', [
      did,
      time,
      sosId,
    ]);
  }

  /**
   * Applies the transition. Returns true for exactly one of several concurrent calls, and false if the transition is
   * not allowed.
   */
  async transition(
    { familyId, cid, sosId }: SosKey,
    transition: SosTransition,
    { by, time }: SosTransitionContext,
  ): Promise<boolean> {
    const { from, to } = SOS_TRANSITIONS[transition];
    const updated = await this.unitOfWork.executor.query(
      `update userctx.sos set state = $3,
         acknowledged_by = case when $3 = 'ACKNOWLEDGED' then $5 else acknowledged_by end,
         acknowledged_at = case when $3 = 'ACKNOWLEDGED' then $6 else acknowledged_at end,
         resolved_by = case when $3 = 'RESOLVED' then $5 else resolved_by end,
         resolved_at = case when $3 = 'RESOLVED' then $6 else resolved_at end,
         next_step_at = case when $3 = 'NOTIFYING' then next_step_at end
        where sos_id = $1 and family_id = $2 and cid = $7 and state = any($4::text[]) returning 1`,
      [sosId, familyId, to, from, by, time, cid],
    );
    return updated.length === 1;
  }

  /** Returns the page of SOS calls after `after`, newest first. */
  findPage(familyId: string, cid: string, after: TimeCursor | undefined, limit: number): Promise<Sos[]> {
    return this.unitOfWork.executor.query<Sos>(
      `select ${SOS_COLUMNS} from userctx.sos
        where cid = $1 and family_id = $2 and ($3::bigint is null or (raised_at, sos_id) < ($3, $4::uuid))
        order by raised_at desc, sos_id desc limit $5`,
      [cid, familyId, after?.time ?? null, after?.id ?? null, limit],
    );
  }

  async erase(familyId: string, cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.sos where cid = $1 and family_id = $2', [cid, familyId]);
  }

  async deleteResolved(raisedBefore: number): Promise<void> {
    await this.unitOfWork.executor.query(`delete from userctx.sos where state = 'RESOLVED' and raised_at < $1`, [
      raisedBefore,
    ]);
  }
}
