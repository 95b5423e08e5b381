import { Injectable, Logger } from '@nestjs/common';
import type { SmsAlert, SmsProviderName } from '@family-watch/domain/sms/contracts/sms';
import { SOS_CHANNEL, type SosChannel } from '@family-watch/domain/sos/contracts/sos';
import { SosEntity } from '@family-watch/domain/sos/entities/sos.entities';
import { Environment } from '@family-watch/platform/config/environment';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxOutbox, UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import type { EmergencyContact } from '../families/contacts/member-contacts.service.js';
import { AlertSmsService } from './alert-sms.service.js';
import { SosRepository, type EscalationStepProgress, type Sos, type SosKey } from './sos.repository.js';

/**
 * Intervals in milliseconds: `stepMs` between the notifications of two contacts, `repeatMs` before all contacts are
 * notified together.
 */
export interface EscalationIntervals {
  stepMs: number;
  repeatMs: number;
}

/** Whom the next escalation step notifies: one contact in turn, all contacts together, or nobody yet. */
export interface EscalationStepPlan {
  target: 'CONTACT' | 'ALL' | 'NONE';
  recipients: readonly EmergencyContact[];
  /** Time of the next step in Unix milliseconds; always later than `now`. */
  nextAt: number;
}

/**
 * Plans the next escalation step. The step notifies the first contact that has not been notified or, after the last
 * contact, all contacts together repeatedly. The current contact order applies: removed contacts are skipped, and new
 * contacts are notified.
 * @param contacts the child's current contacts in the order of notification
 */
function planNextStep(
  contacts: readonly EmergencyContact[],
  { notifiedRefIds, lastSmsAt, isRepeating }: EscalationStepProgress,
  { stepMs, repeatMs }: EscalationIntervals,
  now: number,
): EscalationStepPlan {
  const remaining = contacts.filter(({ refId }) => !notifiedRefIds.includes(refId));
  const [next] = remaining;
  if (next && !isRepeating) {
    return { target: 'CONTACT', recipients: [next], nextAt: now + (remaining.length > 1 ? stepMs : repeatMs) };
  }
  // The interval starts at the last SMS, not at the last scheduled step, because a contact whose apps did not receive
  // the alert gets the SMS before its turn.
  if (contacts.length > 0 && now >= lastSmsAt + repeatMs) {
    return { target: 'ALL', recipients: contacts, nextAt: now + repeatMs };
  }
  return { target: 'NONE', recipients: [], nextAt: contacts.length > 0 ? lastSmsAt + repeatMs : now + repeatMs };
}

/** Name of the job that processes due escalation steps. */
export const SOS_ESCALATION_JOB = 'userctx.sos.escalate';
const ESCALATION_INTERVAL_MS = 1_000;
const ESCALATION_BATCH_SIZE = 50;
/** Milliseconds. Lease of a claimed SOS. If the process crashes, another replica claims the SOS after the lease. */
const LEASE_MS = 10_000;

/** An alert about an SOS that a member's apps did not receive. */
interface UndeliveredAlert extends SosKey {
  userId: string;
}

/**
 * Escalates an SOS: notifies all members with the permission by app immediately, then the contacts one after the
 * other, by SMS and once more by app, then all contacts repeatedly. Only a person who acknowledges or resolves the SOS stops the escalation.
 * Delivery to a device or acceptance by a push service does not stop the escalation.
 */
@Injectable()
export class SosEscalationService {
  private readonly logger = new Logger(SosEscalationService.name);
  private readonly intervals: EscalationIntervals;

  constructor(
    { SOS_STEP_SECONDS, SOS_REPEAT_SECONDS }: Environment,
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly sms: AlertSmsService,
    private readonly repository: SosRepository,
  ) {
    this.intervals = { stepMs: SOS_STEP_SECONDS * 1_000, repeatMs: SOS_REPEAT_SECONDS * 1_000 };
  }

  /**
   * Starts the escalation. Must be called in the transaction that creates the SOS and appends `userctx.sos.raised`,
   * which notifies the apps.
   * @param now Unix milliseconds
   */
  async start(sos: SosKey, now: number): Promise<void> {
    await this.repository.addStep(sos.sosId, { step: 0, channel: SOS_CHANNEL.APP, at: now, refId: null, userId: null });
    await this.repository.scheduleStep(sos, now + this.intervals.stepMs);
  }

  /**
   * Cancels the SMS of the SOS that have not been sent. Must be called in the transaction that acknowledges or resolves
   * the SOS.
   */
  async cancelPendingSms({ sosId }: SosKey): Promise<void> {
    await this.sms.cancel(sosId);
  }

  /** Notifies the apps that the child raised an acknowledged SOS again, at most once per step interval. */
  async notifyAppsAgain(sos: Sos, now: number): Promise<void> {
    const { nextStep, lastStepAt } = await this.repository.findProgress(sos.familyId, sos.sosId);
    if (now - lastStepAt < this.intervals.stepMs) return;
    await this.notifyApps(sos, nextStep, await this.sms.findRecipients(sos.familyId, sos.cid), null, now);
  }

  /**
   * Processes all due steps. Runs on every replica. The due time of the next step is stored in the database, so that an
   * escalation continues after a restart.
   */
  @OnJob(SOS_ESCALATION_JOB, { intervalMs: ESCALATION_INTERVAL_MS, queue: { entity: SosEntity, dueAt: 'nextStepAt' } })
  async processAllDue(): Promise<void> {
    while ((await this.processDue()) > 0);
  }

  /** Processes due steps that no other replica has claimed. Returns the number of claimed SOS calls. */
  async processDue(now = Date.now()): Promise<number> {
    const until = now + LEASE_MS;
    const claimed = await this.repository.claimDue(now, until, ESCALATION_BATCH_SIZE);
    for (const sos of claimed) {
      try {
        await this.unitOfWork.run(() => this.processStep(sos, until, now));
      } catch (error) {
        // A failed step is retried after the lease. The failure must not delay the escalation of other SOS calls.
        this.logger.error({ msg: 'SOS escalation step failed', sosId: sos.sosId, err: error });
      }
    }
    return claimed.length;
  }

  /**
   * Sends the SMS to a member whose apps did not receive the alert, without waiting for the member's turn. Runs in the
   * current transaction.
   */
  async escalateNow({ userId, ...key }: UndeliveredAlert, now = Date.now()): Promise<void> {
    const sos = await this.repository.lockUnacknowledged(key);
    if (!sos) return;
    const { notifiedRefIds, isRepeating, nextStep } = await this.repository.findProgress(sos.familyId, sos.sosId);
    const order = await this.sms.findRecipients(sos.familyId, sos.cid);
    const contact = order.find((recipient) => recipient.userId === userId);
    if (!contact || isRepeating || notifiedRefIds.includes(contact.refId)) return;
    await this.notifyBySms(sos, nextStep, [contact], contact, now);
  }

  /**
   * Sends the SMS of an escalation step by another provider, because it did not reach the contact's phone. Runs in the
   * current transaction. Has no effect after the SOS was acknowledged.
   */
  async sendSmsAgain(undelivered: SmsAlert & { provider: SmsProviderName }, now = Date.now()): Promise<void> {
    const { familyId, cid, refId, subjectId, category, time, provider } = undelivered;
    if (!(await this.repository.lockUnacknowledged({ familyId, cid, sosId: subjectId }))) return;
    const alert = { familyId, cid, subjectId, category, time, queuedAt: now, avoidedProvider: provider };
    await this.sms.enqueue(alert, [refId]);
  }

  private async processStep(key: SosKey, claimedUntil: number, now: number): Promise<void> {
    const sos = await this.repository.lockUnacknowledged(key);
    // The SOS was acknowledged, or another replica processed the step because this replica was slow.
    if (sos?.nextStepAt !== claimedUntil) return;
    const { familyId, sosId } = sos;
    const progress = await this.repository.findProgress(familyId, sosId);
    const { nextStep } = progress;
    const contacts = await this.sms.findRecipients(familyId, sos.cid);
    const { target, recipients, nextAt } = planNextStep(contacts, progress, this.intervals, now);
    await this.repository.scheduleStep(sos, nextAt);
    if (target === 'NONE') return;
    // The escalation also changes the SOS to NOTIFYING, because the event that normally causes this transition may be
    // delayed.
    await this.repository.transition(sos, 'NOTIFY', { by: null, time: now });
    const contact = target === 'CONTACT' ? (recipients[0] ?? null) : null;
    await this.notifyBySms(sos, nextStep, recipients, contact, now);
    await this.notifyApps(sos, nextStep, recipients, contact, now);
  }

  private async notifyBySms(
    sos: Sos,
    step: number,
    recipients: readonly EmergencyContact[],
    contact: EmergencyContact | null,
    now: number,
  ): Promise<void> {
    const { familyId, cid, sosId, raisedAt } = sos;
    await this.recordStep(sosId, step, SOS_CHANNEL.SMS, contact, now);
    const alert = { familyId, cid, subjectId: sosId, category: 'SOS', time: raisedAt, queuedAt: now } as const;
    await this.sms.enqueue(
      alert,
      recipients.map(({ refId }) => refId),
    );
  }

  private async notifyApps(
    sos: Sos,
    step: number,
    recipients: readonly EmergencyContact[],
    contact: EmergencyContact | null,
    now: number,
  ): Promise<void> {
    const userIds = recipients.flatMap(({ userId }) => userId ?? []);
    if (userIds.length === 0) return;
    const { familyId, cid, did, sosId } = sos;
    await this.recordStep(sosId, step, SOS_CHANNEL.APP, contact, now);
    await this.outbox.appendForFamily('userctx.sos.escalated', { familyId, cid, did, sosId, time: now, step, userIds });
  }

  private async recordStep(
    sosId: string,
    step: number,
    channel: SosChannel,
    contact: EmergencyContact | null,
    at: number,
  ) {
    await this.repository.addStep(sosId, {
      step,
      channel,
      at,
      refId: contact?.refId ?? null,
      userId: contact?.userId ?? null,
    });
  }
}
