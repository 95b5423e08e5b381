import { Injectable } from '@nestjs/common';
import { Not, In, LessThan } from 'typeorm';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { MAX_SOS_STEPS_RETURNED, SOS_STATE } from '@family-watch/domain/sos/contracts/sos';
import { SosEntity, SosStepEntity, SosRaiseEntity } from '@family-watch/domain/sos/entities/sos.entities';
import type { TimeCursor } from '@family-watch/platform/http/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { SOS_TRANSITIONS } from './sos-state.js';
import type { SosTransition } from './sos-state.js';

/** A child's emergency call. Times are Unix milliseconds. */
export type Sos = SosEntity;

export type NewSos = Pick<Sos, 'sosId' | 'familyId' | 'cid' | 'did' | 'raisedAt' | 'location'>;

export type SosKey = Pick<Sos, 'familyId' | 'cid' | 'sosId'>;

/** The actor and time of a transition. */
export interface SosTransitionContext {
  by: PrincipalKey | null;
  time: number;
}

/**
 * One notification about an SOS. `refId`: the notified contact, or null for a notification to everyone with the
 * permission. Times are Unix milliseconds.
 */
export type EscalationStep = Omit<SosStepEntity, 'sosId'>;

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

/** SKIP LOCKED: replicas claim different SOS calls of all families. */
const CLAIM_DUE = `
  update userctx.sos as call set next_step_at = $2
   from (
     select sos_id from userctx.sos where next_step_at <= $1 order by next_step_at limit $3 for update skip locked
   ) as due
   where call.sos_id = due.sos_id
   returning call.sos_id as "sosId", family_id as "familyId", cid`;

/** Computed: aggregates the steps of an SOS. */
const FIND_PROGRESS = `
  select coalesce(max(step) + 1, 0) as "nextStep", coalesce(max(at), 0) as "lastStepAt",
         coalesce(array_agg(ref_id::text) filter (where channel = 'SMS' and ref_id is not null), '{}')
           as "notifiedRefIds",
         coalesce(max(at) filter (where channel = 'SMS'), 0) as "lastSmsAt",
         coalesce(bool_or(channel = 'SMS' and ref_id is null), false) as "isRepeating"
    from userctx.sos_step join userctx.sos using (sos_id) where sos_id = $1 and family_id = $2`;

/** Lateral: the last steps of each of any number of SOS calls. */
const FIND_LAST_STEPS = `
  select sos.sos_id as "sosId", last.step, last.channel, last.at, last.ref_id as "refId", last.user_id as "userId"
    from userctx.sos cross join lateral (
      select * from userctx.sos_step where sos_step.sos_id = sos.sos_id order by step desc, channel desc limit $3
    ) as last
   where sos.family_id = $1 and sos.sos_id = any($2::uuid[]) order by last.step, last.channel`;

/** Stores SOS calls with their escalation: when the next step is due, and the steps so far. */
@Injectable()
export class SosRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Finds the child's unresolved SOS. */
  findActive(familyId: string, cid: string): Promise<Sos | null> {
    return this.calls.findOneBy({ familyId, cid, state: Not(SOS_STATE.RESOLVED) });
  }

  /** Finds the SOS that the watch raised at this time, according to the watch's clock. */
  findByWatchTime(familyId: string, did: number, time: number): Promise<Sos | null> {
    return this.calls
      .createQueryBuilder('sos')
      .innerJoin(SosRaiseEntity, 'raise', 'raise.sosId = sos.sosId')
      .where('sos.familyId = :familyId and raise.did = :did and raise.time = :time', { familyId, did, time })
      .getOne();
  }

  find({ familyId, cid, sosId }: SosKey): Promise<Sos | null> {
    return this.calls.findOneBy({ familyId, cid, sosId });
  }

  async add(sos: NewSos): Promise<void> {
    await this.calls.insert({ ...sos, state: SOS_STATE.RAISED, lastRaisedAt: sos.raisedAt });
  }

  /** Updates the SOS when the child raises it again. If the new location is unknown, the previous one is kept. */
  async raiseAgain(familyId: string, sosId: string, time: number, location: Location | null): Promise<void> {
    const lastRaisedAt = () => `greatest(last_raised_at, ${Math.trunc(time)})`;
    await this.calls.update({ familyId, sosId }, { lastRaisedAt, ...(location ? { location } : {}) });
  }

  async recordRaise(did: number, time: number, sosId: string): Promise<void> {
    await this.unitOfWork.manager.insert(SosRaiseEntity, { did, time, sosId });
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
    const { affected } = await this.calls.update(
      { familyId, cid, sosId, state: In(from) },
      {
        state: to,
        ...(to === SOS_STATE.NOTIFYING ? {} : { nextStepAt: null }),
        ...(to === SOS_STATE.ACKNOWLEDGED ? { acknowledgedBy: by, acknowledgedAt: time } : {}),
        ...(to === SOS_STATE.RESOLVED ? { resolvedBy: by, resolvedAt: time } : {}),
      },
    );
    return affected === 1;
  }

  /** Returns the page of SOS calls after `after`, newest first. */
  findPage(familyId: string, cid: string, after: TimeCursor | undefined, limit: number): Promise<Sos[]> {
    const query = this.calls
      .createQueryBuilder('sos')
      .where({ familyId, cid })
      .orderBy({ 'sos.raisedAt': 'DESC', 'sos.sosId': 'DESC' })
      .limit(limit);
    if (after) query.andWhere('(sos.raisedAt, sos.sosId) < (:time, :id)', { ...after });
    return query.getMany();
  }

  async erase(familyId: string, cid: string): Promise<void> {
    await this.calls.delete({ familyId, cid });
  }

  async deleteResolved(raisedBefore: number): Promise<void> {
    await this.calls.delete({ state: SOS_STATE.RESOLVED, raisedAt: LessThan(raisedBefore) });
  }

  async scheduleStep({ familyId, cid, sosId }: SosKey, nextStepAt: number): Promise<void> {
    await this.calls.update({ familyId, cid, sosId }, { nextStepAt });
  }

  /** Claims due SOS calls. A claimed SOS is due again at `until`. */
  claimDue(now: number, until: number, limit: number): Promise<SosKey[]> {
    return this.unitOfWork.executor.query<SosKey>(CLAIM_DUE, [now, until, limit]);
  }

  /** Locks the SOS until the transaction ends, if it is not acknowledged. */
  lockUnacknowledged({ familyId, cid, sosId }: SosKey): Promise<Sos | null> {
    return this.calls.findOne({
      where: { familyId, cid, sosId, state: In(SOS_TRANSITIONS.ACKNOWLEDGE.from) },
      lock: { mode: 'pessimistic_write' },
    });
  }

  async addStep(sosId: string, step: EscalationStep): Promise<void> {
    await this.unitOfWork.manager.insert(SosStepEntity, { ...step, sosId });
  }

  /** Returns the progress. The caller must have locked the SOS. */
  async findProgress(familyId: string, sosId: string): Promise<EscalationStepProgress> {
    const [progress] = await this.unitOfWork.executor.query<EscalationStepProgress>(FIND_PROGRESS, [sosId, familyId]);
    if (!progress) throw new Error('The aggregate query returned no row');
    return progress;
  }

  /** Returns the last steps of each SOS, in order. */
  async findLastSteps(familyId: string, sosIds: readonly string[]): Promise<Map<string, EscalationStep[]>> {
    const rows = await this.unitOfWork.executor.query<EscalationStep & { sosId: string }>(FIND_LAST_STEPS, [
      familyId,
      sosIds,
      MAX_SOS_STEPS_RETURNED,
    ]);
    const steps = new Map<string, EscalationStep[]>();
    for (const { sosId, ...step } of rows) steps.set(sosId, [...(steps.get(sosId) ?? []), step]);
    return steps;
  }

  private get calls() {
    return this.unitOfWork.manager.getRepository(SosEntity);
  }
}
