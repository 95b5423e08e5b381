import { Injectable } from '@nestjs/common';
import { MAX_SOS_STEPS_RETURNED } from '@family-watch/domain/sos/contracts/sos';
import type { SosChannel } from '@family-watch/domain/sos/contracts/sos';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

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

/** Stores the notifications about SOS calls. */
@Injectable()
export class SosStepRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async add(sosId: string, { step, channel, at, refId, userId }: EscalationStep): Promise<void> {
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
  async findLast(familyId: string, sosIds: readonly string[]): Promise<Map<string, EscalationStep[]>> {
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
