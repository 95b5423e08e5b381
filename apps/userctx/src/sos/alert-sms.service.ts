import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Phone } from '@family-watch/domain/accounts/contracts/account';
import { parsePhone } from '@family-watch/domain/accounts/dto/phone-fields';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { AlertSmsEntity } from '@family-watch/domain/sos/entities/sos.entities';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { AttemptLimiterService, type AttemptKind } from '../accounts/attempts/attempt-limiter.service.js';
import { ChildrenService } from '../families/children/children.service.js';
import { MemberContactsService, type EmergencyContact } from '../families/contacts/member-contacts.service.js';
import { FamilyRosterService } from '../families/family-roster.service.js';
import { isAllowedForChild } from '../families/permission-matrix.js';
import { SmsRejectedError } from '../sms/sms-errors.js';
import { SmsSender } from '../sms/sms-sender.service.js';
import { AlertSmsRepository, type ClaimedAlert, type AlertContent } from './alert-sms.repository.js';

/** Name of the job that sends due alerts. */
export const ALERT_SMS_JOB = 'userctx.sos.send-alerts';
const SEND_INTERVAL_MS = 1_000;
/** Alerts that a process sends at the same time: as many as a provider gets at the same time (`SmsSender`). */
const MAX_CONCURRENT_ALERTS = 32;
/** Milliseconds for which a claimed alert is not claimed again; longer than a request to the SMS provider takes. */
const CLAIM_TTL_MS = 60_000;
/** The delay after failed attempt number n is this delay times 2ⁿ: 4 s, 8 s, 16 s and so on. Milliseconds. */
const BACKOFF_BASE_MS = 2_000;
/** Milliseconds. Time after which an alert that could not be sent is dropped as outdated. */
const MAX_AGE_MS = 15 * 60_000;

/**
 * Sends SMS alerts to a child's contacts, at least once: if a process is killed during the request to the provider, the
 * alert is sent again. Hourly limits apply per phone number, family and country, and in total. No limit prevents the first
 * SMS of an hour to a member of the family.
 */
@Injectable()
export class AlertSmsService {
  private readonly logger = new Logger(AlertSmsService.name);

  constructor(
    private readonly alerts: AlertSmsRepository,
    private readonly limiter: AttemptLimiterService,
    private readonly sender: SmsSender,
    private readonly roster: FamilyRosterService,
    private readonly memberContacts: MemberContactsService,
    private readonly children: ChildrenService,
  ) {}

  /** Queues an alert to these contacts. The alert is sent after the current transaction has committed. */
  async enqueue(alert: AlertContent, refIds: readonly string[]): Promise<void> {
    await this.alerts.add(alert, refIds);
  }

  /** Cancels the unsent alerts about a subject when the current transaction commits. */
  async cancel(subjectId: string): Promise<void> {
    await this.alerts.removeBySubject(subjectId);
  }

  /**
   * Sends all due alerts that no other replica has claimed, up to {@link MAX_CONCURRENT_ALERTS} side by side. While some
   * wait for a slow provider, others that become due are sent.
   * @param startedAt - Unix milliseconds
   * @param signal - when it is aborted, no further alerts are claimed
   */
  @OnJob(ALERT_SMS_JOB, { intervalMs: SEND_INTERVAL_MS, queue: { entity: AlertSmsEntity, dueAt: 'dueAt' } })
  async sendAllDue(startedAt = Date.now(), signal?: AbortSignal): Promise<void> {
    const clockOffsetMs = startedAt - Date.now();
    const sending = new Set<Promise<void>>();
    do {
      const now = Date.now() + clockOffsetMs;
      const free = signal?.aborted ? 0 : MAX_CONCURRENT_ALERTS - sending.size;
      const claimed = free > 0 ? await this.alerts.claim(now, now + CLAIM_TTL_MS, free) : [];
      for (const alert of claimed) {
        const sent = this.send(alert, now)
          .catch((err: unknown) =>
            this.logger.error({ msg: 'Alert SMS could not be processed', refId: alert.refId, err }),
          )
          .finally(() => sending.delete(sent));
        sending.add(sent);
      }
      if (claimed.length === 0) await waitForAny(sending, SEND_INTERVAL_MS);
    } while (sending.size > 0);
  }

  /**
   * Returns the recipients in notification order: contacts without an account, and the members who may see alerts.
   * Returns an empty list for a deleted child.
   */
  async findRecipients(familyId: string, cid: string): Promise<EmergencyContact[]> {
    const children = await this.roster.findChildren(familyId);
    if (!children.some((child) => child.cid === cid)) return [];
    const members = await this.roster.findMembers(familyId);
    const permittedUserIds = new Set(
      members.filter((member) => isAllowedForChild(member, 'SEE_ALERTS', cid)).map(({ userId }) => userId),
    );
    const contacts = await this.memberContacts.findInEmergencyOrder(familyId, cid);
    return contacts.filter(({ userId }) => userId === null || permittedUserIds.has(userId));
  }

  /**
   * Counts an alert against the hourly limits, once for all attempts to send it. The first SMS of an hour to a member
   * is sent whatever limits are used up, and the first two of a family to contacts without an account whatever other
   * families have used up. Any family can enter any phone number as a contact, so SMS to a contact without an
   * account are also counted across families; the first SMS about a subject and the one that replaces an SMS which did not
   * reach the phone are sent beyond this limit. For these two, a family has a reserve beyond its own limit. The limits of
   * a country and of all alerts are counted last, so that no family uses them up by SMS that are not sent.
   * @throws ServiceError RATE_LIMITED
   */
  private async count(alert: ClaimedAlert, recipient: EmergencyContact, phone: Phone): Promise<void> {
    const { alertId, familyId, subjectId, refId, avoidedProvider } = alert;
    if (!(await this.isWithinLimit('alert-sms.alert', alertId))) return;
    const isFirst = await this.isWithinLimit('alert-sms.contact', `${subjectId}\n${refId}`);
    const isNeeded = isFirst || avoidedProvider !== null;
    const number = phone.areaCode + phone.phoneNumber;
    const { userId } = recipient;
    const isGuaranteed =
      userId === null
        ? isNeeded && (await this.isGuaranteedToContact(familyId, phone))
        : await this.isWithinLimit('alert-sms.member', `${familyId}\n${userId}`);
    const isGuaranteedToMember = isGuaranteed && userId !== null;
    const isWithinAll =
      ((await this.isWithinLimit('alert-sms.family', familyId)) ||
        isGuaranteedToMember ||
        (isNeeded && (await this.isWithinLimit('alert-sms.family-first', familyId)))) &&
      ((await this.isWithinLimit('alert-sms.family-phone', `${familyId}\n${number}`)) || isGuaranteedToMember) &&
      (userId !== null || (await this.isWithinLimit('alert-sms.phone', number)) || isNeeded) &&
      ((await this.isWithinLimit('alert-sms.country', phone.areaCode)) || isGuaranteed) &&
      ((await this.isWithinLimit('alert-sms.all', 'all')) || isGuaranteed);
    if (!isWithinAll) throw new ServiceError('RATE_LIMITED');
  }

  /** The number of a contact is not verified, so these SMS have a limit in total and respect a country without SMS. */
  private async isGuaranteedToContact(familyId: string, { areaCode }: Phone): Promise<boolean> {
    return (
      this.limiter.isEverPermitted('alert-sms.country', areaCode) &&
      (await this.isWithinLimit('alert-sms.family-contacts', familyId)) &&
      (await this.isWithinLimit('alert-sms.contacts', 'all'))
    );
  }

  private async isWithinLimit(kind: AttemptKind, subject: string): Promise<boolean> {
    try {
      await this.limiter.consume(kind, subject);
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'RATE_LIMITED') return false;
      throw error;
    }
  }

  private async send(alert: ClaimedAlert, now: number): Promise<void> {
    const { familyId, cid, refId, subjectId, category, time, queuedAt, attempts, avoidedProvider } = alert;
    if (now - queuedAt > MAX_AGE_MS) return this.alerts.remove(alert);
    try {
      // The recipient is read again: the contact may have been deleted, have a new number or have lost the permission.
      const recipient = (await this.findRecipients(familyId, cid)).find((contact) => contact.refId === refId);
      if (!recipient) {
        await this.alerts.remove(alert);
        return;
      }
      // Contacts can have landlines and short numbers. Those stored before numbers were checked can have any text, which
      // could name further recipients to the provider.
      const phone = parsePhone(recipient.areaCode, recipient.phoneNumber);
      if (!phone) {
        this.logger.warn({ msg: 'Alert SMS dropped: the phone number cannot receive SMS', refId });
        await this.alerts.remove(alert);
        return;
      }
      this.sender.assertCanReceive(phone, 'ALERT');
      await this.count(alert, recipient, phone);
      const timeZone = (await this.children.findTimeZone(familyId, cid)) ?? 'UTC';
      if (!(await this.alerts.isPending(alert))) return;
      const content = { familyId, cid, refId, subjectId, category, time };
      const message = { ...phone, scene: 'ALERT', category, time } as const;
      await this.sender.send(message, { alert: content, timeZone, avoidedProvider });
    } catch (error) {
      if (error instanceof ServiceError || error instanceof SmsRejectedError) return this.alerts.remove(alert);
      // The error message of the SMS provider is not logged, because it may contain the phone number.
      this.logger.error({ msg: 'Alert SMS failed', refId, attempts, errorCode: (error as { code?: unknown }).code });
      return this.alerts.reschedule(alert, now + BACKOFF_BASE_MS * 2 ** attempts);
    }
    return this.alerts.remove(alert);
  }
}

/** Resolves when one of the promises is settled, or after a time. */
async function waitForAny(promises: ReadonlySet<Promise<void>>, ms: number): Promise<void> {
  if (promises.size === 0) return;
  const timeout = new AbortController();
  try {
    await Promise.race([...promises, sleep(ms, undefined, { signal: timeout.signal })]);
  } finally {
    timeout.abort();
  }
}
