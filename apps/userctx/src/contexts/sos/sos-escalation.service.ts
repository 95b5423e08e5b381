import { Injectable, Logger } from '@nestjs/common';
import { SOS_CHANNEL } from '@family-watch/domain/sos/contracts/sos';
import type { SosChannel } from '@family-watch/domain/sos/contracts/sos';
import { Environment } from '@family-watch/platform/config/environment';
import { UserctxOutbox } from '../../infrastructure/userctx.outbox.js';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import { AlertRecipientsService } from '../alerts/alert-recipients.service.js';
import { AlertSmsService } from '../alerts/alert-sms.service.js';
import type { EmergencyContact } from '../contacts/emergency-order.service.js';
import { planNextStep } from './escalation-plan.js';
import type { EscalationIntervals } from './escalation-plan.js';
import { SosStepRepository } from './sos-step.repository.js';
import { SosTimerRepository } from './sos-timer.repository.js';
import { SosRepository } from './sos.repository.js';
import type { Sos, SosKey } from './sos.repository.js';

const CALLS_AT_ONCE = 50;
/** A process that is killed between taking a call and its step leaves it to the others after so long. Milliseconds. */
const CLAIM_MS = 10_000;

/** The undelivered alert of a person about a call. */
interface MissedAlert extends SosKey {
  userId: string;
}

/**
 * Who is told of a call for help, and when: everybody who may know by their apps at once; then the contacts by SMS,
 * one after the other; then all of them again and again. Nothing but a person's acknowledgement ends it: that a
 * device has received something, or a push service has taken it, does not.
 */
@Injectable()
export class SosEscalationService {
  private readonly logger = new Logger(SosEscalationService.name);
  private readonly pace: EscalationIntervals;

  constructor(
    { SOS_STEP_SECONDS, SOS_REPEAT_SECONDS }: Environment,
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly recipients: AlertRecipientsService,
    private readonly sms: AlertSmsService,
    private readonly calls: SosRepository,
    private readonly timers: SosTimerRepository,
    private readonly steps: SosStepRepository,
  ) {
    this.pace = { step: SOS_STEP_SECONDS * 1_000, repeat: SOS_REPEAT_SECONDS * 1_000 };
  }

  /** In the unit of the call itself, whose event brings it to every app. @param now Unix milliseconds */
  async start(call: SosKey, now: number): Promise<void> {
    await this.steps.add(call.sosId, { step: 0, channel: SOS_CHANNEL.APP, at: now, refId: null, userId: null });
    await this.timers.set(call, now + this.pace.step);
  }

  /** In the unit in which a person has acknowledged or resolved it. */
  async stop({ sosId }: SosKey): Promise<void> {
    await this.sms.cancel(sosId);
  }

  /** The child has called again, though somebody cares for it: the apps say so, but not with each press of a button. */
  async remind(call: Sos, now: number): Promise<void> {
    const { nextStep, lastAt } = await this.steps.findProgress(call.familyId, call.sosId);
    if (now - lastAt < this.pace.step) return;
    await this.tellApps(call, nextStep, await this.recipients.findByChild(call.familyId, call.cid), null, now);
  }

  /** Takes the steps that are due and that no other replica takes; returns how many calls that concerned. */
  async processDue(now = Date.now()): Promise<number> {
    const until = now + CLAIM_MS;
    const claimed = await this.timers.claim(now, until, CALLS_AT_ONCE);
    for (const call of claimed) {
      try {
        await this.unitOfWork.run(() => this.step(call, until, now));
      } catch (error) {
        // Of one call, and it comes again: the others must not wait for it.
        this.logger.error({ msg: 'SOS escalation step failed', sosId: call.sosId, err: error });
      }
    }
    return claimed.length;
  }

  /** No app of this person took the alert: their SMS does not wait for its turn. In the open unit. */
  async escalateNow({ userId, ...key }: MissedAlert, now = Date.now()): Promise<void> {
    const call = await this.timers.lockOpen(key);
    if (!call) return;
    const { told, repeating, nextStep } = await this.steps.findProgress(call.familyId, call.sosId);
    const order = await this.recipients.findByChild(call.familyId, call.cid);
    const contact = order.find((recipient) => recipient.userId === userId);
    if (!contact || repeating || told.includes(contact.refId)) return;
    await this.tellBySms(call, nextStep, [contact], contact, now);
  }

  private async step(key: SosKey, claimedUntil: number, now: number): Promise<void> {
    const call = await this.timers.lockOpen(key);
    // Somebody was faster: a person, or another replica because this one was slow.
    if (call?.nextStepAt !== claimedUntil) return;
    const { nextStep, told, lastSmsAt, repeating } = await this.steps.findProgress(call.familyId, call.sosId);
    const order = await this.recipients.findByChild(call.familyId, call.cid);
    const standing = { order, told: new Set(told), lastAt: lastSmsAt, repeating };
    const { whom, recipients, nextAt } = planNextStep(standing, this.pace, now);
    await this.timers.set(call, nextAt);
    if (whom === 'NOBODY') return;
    // Somebody is being told, though the bus may be away.
    await this.calls.transition(call, 'NOTIFY', { by: null, time: now });
    const one = whom === 'CONTACT' ? (recipients[0] ?? null) : null;
    await this.tellBySms(call, nextStep, recipients, one, now);
    await this.tellApps(call, nextStep, recipients, one, now);
  }

  private async tellBySms(
    call: Sos,
    step: number,
    recipients: readonly EmergencyContact[],
    one: EmergencyContact | null,
    now: number,
  ): Promise<void> {
    const { familyId, cid, sosId, raisedAt } = call;
    await this.record(sosId, step, SOS_CHANNEL.SMS, one, now);
    const alert = { familyId, cid, about: sosId, category: 'SOS', time: raisedAt, queuedAt: now } as const;
    await this.sms.enqueue(
      alert,
      recipients.map(({ refId }) => refId),
    );
  }

  private async tellApps(
    call: Sos,
    step: number,
    recipients: readonly EmergencyContact[],
    one: EmergencyContact | null,
    now: number,
  ): Promise<void> {
    const userIds = recipients.flatMap(({ userId }) => userId ?? []);
    if (userIds.length === 0) return;
    const { familyId, cid, did, sosId } = call;
    await this.record(sosId, step, SOS_CHANNEL.APP, one, now);
    const payload = { familyId, cid, did, sosId, time: now, step, userIds };
    await this.outbox.append({ name: 'userctx.sos.escalated', key: familyId, payload });
  }

  private async record(sosId: string, step: number, channel: SosChannel, one: EmergencyContact | null, at: number) {
    await this.steps.add(sosId, { step, channel, at, refId: one?.refId ?? null, userId: one?.userId ?? null });
  }
}
