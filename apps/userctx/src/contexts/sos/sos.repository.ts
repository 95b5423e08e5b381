import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { MAX_SOS_STEPS_RETURNED } from '@family-watch/domain/sos/contracts/sos';
import type { SosState, SosChannel } from '@family-watch/domain/sos/contracts/sos';
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

/**
 * One notification about an SOS. `refId`: the notified contact, or null for a notification to everyone with the
 * permission. Times are Unix milliseconds.
 */
export interface EscalationStep {
  step: number;
  channel: SosChannel;
  at: number;
  refId: string | null;
  userId: string | null;
}

/** Summary of the escalation steps of an SOS so far. */
export interface EscalationStepProgress {
  /** Number of the next escalation step; 0 before the first step. */
  nextStep: number;
  /** Time of the last escalation step. */
  lastStepAt: number;
  /** The contacts that received an SMS in their turn. */
  notifiedRefIds: string[];
  /** Time of the last SMS to one contact or to all contacts; 0 before the first SMS. */
  lastSmsAt: number;
  /** Whether an SMS was sent to all contacts together. */
  isRepeating: boolean;
}

/** Stores SOS calls with their escalation: when the next step is due, and the steps so far. */
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

  async scheduleStep({ familyId, cid, sosId }: SosKey, nextStepAt: number): Promise<void> {
    await this.unitOfWork.executor.query(
      'update userctx.sos set next_step_at = $4 where sos_id = $1 and cid = $2 and family_id = $3',
      [sosId, cid, familyId, nextStepAt],
    );
  }

  /** Claims due SOS calls of all families with `SKIP LOCKED`. A claimed SOS is due again at `until`. */
  claimDue(now: number, until: number, limit: number): Promise<SosKey[]> {
    return this.unitOfWork.executor.query<SosKey>(
      `update userctx.sos as call set next_step_at = $2
       from (
         select sos_id from userctx.sos where next_step_at <= $1 order by next_step_at limit $3 for update skip locked
       ) as due
       where call.sos_id = due.sos_id
       returning call.sos_id as "sosId", family_id as "familyId", cid`,
      [now, until, limit],
    );
  }

  /** Locks the SOS until the transaction ends, if it is not acknowledged. */
  async lockUnacknowledged({ familyId, cid, sosId }: SosKey): Promise<Sos | undefined> {
    const [sos] = await this.unitOfWork.executor.query<Sos>(
      `select ${SOS_COLUMNS} from userctx.sos
        where sos_id = $1 and cid = $2 and family_id = $3 and state = any($4::text[]) for update`,
      [sosId, cid, familyId, SOS_TRANSITIONS.ACKNOWLEDGE.from],
    );
    return sos;
  }

  async addStep(sosId: string, { step, channel, at, refId, userId }: EscalationStep): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.sos_step (sos_id, step, channel, at, ref_id, user_id) values ($1, $2, $3, $4, $5, $6)`,
      [sosId, step, channel, at, refId, userId],
    );
  }

  /** Returns the progress. The caller must have locked the SOS. */
  async findProgress(familyId: string, sosId: string): Promise<EscalationStepProgress> {
    const [progress] = await this.unitOfWork.executor.query<EscalationStepProgress>(
      `select coalesce(max(step) + 1, 0) as "nextStep", coalesce(max(at), 0) as "lastStepAt",
         coalesce(array_agg(ref_id::text) filter (where channel = 'SMS' and ref_id is not null), '{}')
           as "notifiedRefIds",
         coalesce(max(at) filter (where channel = 'SMS'), 0) as "lastSmsAt",
         coalesce(bool_or(channel = 'SMS' and ref_id is null), false) as "isRepeating"
        from userctx.sos_step join userctx.sos using (sos_id) where sos_id = $1 and family_id = $2`,
      [sosId, familyId],
    );
    if (!progress) throw new Error('The aggregate query returned no row');
    return progress;
  }

  /** Returns the last steps of each SOS, in order. */
  async findLastSteps(familyId: string, sosIds: readonly string[]): Promise<Map<string, EscalationStep[]>> {
    const rows = await this.unitOfWork.executor.query<EscalationStep & { sosId: string }>(
      `select sos.sos_id as "sosId", last.step, last.channel, last.at, last.ref_id as "refId", last.user_id as "userId"
        from userctx.sos cross join lateral (
          select * from userctx.sos_step where sos_step.sos_id = sos.sos_id order by step desc, channel desc limit $3
        ) as last
        where sos.family_id = $1 and sos.sos_id = any($2::uuid[]) order by last.step, last.channel`,
      [familyId, sosIds, MAX_SOS_STEPS_RETURNED],
    );
    const steps = new Map<string, EscalationStep[]>();
    for (const { sosId, ...step } of rows) steps.set(sosId, [...(steps.get(sosId) ?? []), step]);
    return steps;
  }
}
