import { Injectable } from '@nestjs/common';
import { Not, In, LessThan } from 'typeorm';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { MAX_SOS_STEPS_RETURNED, SOS_STATE } from '@family-watch/domain/sos/contracts/sos';
import { SosEntity, SosStepEntity, SosRaiseEntity } from '@family-watch/domain/sos/entities/sos.entities';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { findTimePage } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import type { ChildKey } from '../families/family-roster.service.js';
import { SOS_TRANSITIONS, type SosTransition } from './sos-state.js';

const CLAIM_DUE_SOS_CALLS = `
  UPDATE userctx.sos AS call SET next_step_at = $2
   FROM (
     SELECT sos_id FROM userctx.sos WHERE next_step_at <= $1 ORDER BY next_step_at LIMIT $3 FOR UPDATE SKIP LOCKED
   ) AS due
   WHERE call.sos_id = due.sos_id
   RETURNING call.sos_id AS "sosId", family_id AS "familyId", cid`;

const FIND_ESCALATION_PROGRESS = `
  SELECT coalesce(max(step) + 1, 0) AS "nextStep", coalesce(max(at), 0) AS "lastStepAt",
         coalesce(array_agg(ref_id::text) FILTER (WHERE channel = 'SMS' AND ref_id IS NOT NULL), '{}')
           AS "notifiedRefIds",
         coalesce(max(at) FILTER (WHERE channel = 'SMS'), 0) AS "lastSmsAt",
         coalesce(bool_or(channel = 'SMS' AND ref_id IS NULL), false) AS "isRepeating"
    FROM userctx.sos_step JOIN userctx.sos USING (sos_id) WHERE sos_id = $1 AND family_id = $2`;

const FIND_LAST_ESCALATION_STEPS = `
  SELECT sos.sos_id AS "sosId", last.step, last.channel, last.at, last.ref_id AS "refId", last.user_id AS "userId"
    FROM userctx.sos CROSS JOIN LATERAL (
      SELECT * FROM userctx.sos_step WHERE sos_step.sos_id = sos.sos_id ORDER BY step DESC, channel DESC LIMIT $3
    ) AS last
   WHERE sos.family_id = $1 AND sos.sos_id = ANY($2::uuid[]) ORDER BY last.step, last.channel`;

/** A child's emergency call. Times are Unix milliseconds. */
export type Sos = SosEntity;

/** Where the child is, according to the watch or to the last location. */
export type SosLocation = Pick<Sos, 'location' | 'isLastLocation'>;

export type NewSos = Pick<Sos, 'sosId' | 'familyId' | 'cid' | 'did' | 'raisedAt'> & SosLocation;

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
  /** Number of the next escalation step. The notification of the apps when the child raises the SOS is step 0. */
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
  findActive(familyId: string, cid: string): Promise<Sos | null> {
    return this.calls.findOneBy({ familyId, cid, state: Not(SOS_STATE.RESOLVED) });
  }

  /** Finds the SOS of the child that the watch raised at this time, according to the watch's clock. */
  findByWatchTime({ familyId, cid }: ChildKey, did: number, time: number): Promise<Sos | null> {
    return this.calls
      .createQueryBuilder('sos')
      .innerJoin(SosRaiseEntity, 'raise', 'raise.sosId = sos.sosId')
      .where({ familyId, cid })
      .andWhere('raise.did = :did AND raise.time = :time', { did, time })
      .getOne();
  }

  find({ familyId, cid, sosId }: SosKey): Promise<Sos | null> {
    return this.calls.findOneBy({ familyId, cid, sosId });
  }

  async add(sos: NewSos): Promise<void> {
    await this.calls.insert({ ...sos, state: SOS_STATE.RAISED, lastRaisedAt: sos.raisedAt });
  }

  /** Updates the SOS when the child raises it again. If `location` is null, the stored location is unchanged. */
  async raiseAgain(familyId: string, sosId: string, time: number, location: SosLocation | null): Promise<void> {
    const lastRaisedAt = () => `greatest(last_raised_at, ${Math.trunc(time)})`;
    await this.calls.update({ familyId, sosId }, { lastRaisedAt, ...location });
  }

  /**
   * Records that the watch raised the SOS at this time, so that {@link findByWatchTime} recognizes a repeated call.
   * Replaces the record of the same time of another child for whom the watch acted before.
   */
  async recordRaise(did: number, time: number, sosId: string): Promise<void> {
    await this.unitOfWork.manager.upsert(SosRaiseEntity, { did, time, sosId }, ['did', 'time']);
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

  /** Returns a page of SOS calls, newest first. */
  findPage(familyId: string, cid: string, page: TimePageRequest): Promise<Page<Sos>> {
    return findTimePage(this.calls, { familyId, cid }, { time: 'raisedAt', id: 'sosId' }, page);
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

  /** Claims SOS calls whose next escalation step is due. A claimed SOS is due again at `until`. */
  claimDue(now: number, until: number, limit: number): Promise<SosKey[]> {
    return this.unitOfWork.executor.query<SosKey>(CLAIM_DUE_SOS_CALLS, [now, until, limit]);
  }

  /** Locks the SOS until the transaction ends and returns it, or returns null if it is acknowledged or resolved. */
  lockUnacknowledged({ familyId, cid, sosId }: SosKey): Promise<Sos | null> {
    return this.calls.findOne({
      where: { familyId, cid, sosId, state: In(SOS_TRANSITIONS.ACKNOWLEDGE.from) },
      lock: { mode: 'pessimistic_write' },
    });
  }

  async addStep(sosId: string, step: EscalationStep): Promise<void> {
    await this.unitOfWork.manager.insert(SosStepEntity, { ...step, sosId });
  }

  /** Returns the progress of the escalation. The caller must have locked the SOS. */
  async findProgress(familyId: string, sosId: string): Promise<EscalationStepProgress> {
    const [progress] = await this.unitOfWork.executor.query<EscalationStepProgress>(FIND_ESCALATION_PROGRESS, [
      sosId,
      familyId,
    ]);
    if (!progress) throw new Error('The aggregate query returned no row');
    return progress;
  }

  /** Returns the last escalation steps of each SOS, in the order of the steps. */
  async findLastSteps(familyId: string, sosIds: readonly string[]): Promise<Map<string, EscalationStep[]>> {
    const rows = await this.unitOfWork.executor.query<EscalationStep & { sosId: string }>(FIND_LAST_ESCALATION_STEPS, [
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
