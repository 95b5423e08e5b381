/** Time between two steps of the escalation while contacts remain that were not notified. */
const STEP_MS = 30_000;
/** Time between two notifications of all contacts, after each contact was notified once. */
const REPEAT_MS = 600_000;
/** Time after which another replica takes over a step that a crashed replica had claimed. */
export const LEASE_MS = 10_000;

/** A contact that can be notified. */
export interface ReachableContact {
  refId: string;
  userId: string | null;
  phoneNumber: string;
}

export interface ModelStep {
  step: number;
  channel: 'APP' | 'SMS';
  at: number;
  refId: string | null;
}

interface OpenSos {
  sosId: string;
  isNotifying: boolean;
  acknowledgedBy: string | null;
  /** When live tracking of the watch ends unless the child raises the SOS again. */
  trackedUntil: number;
  lastRaisedAt: number;
  /** Time of the next escalation step; `null` once a person has acknowledged the SOS. */
  nextAt: number | null;
  /** Ids of the contacts that were notified by SMS. */
  notifiedRefIds: Set<string>;
  /** Whether each contact was notified once, so that all contacts are now notified again at intervals. */
  isRepeating: boolean;
  lastSmsAt: number;
  steps: ModelStep[];
}

/** Model of the notifications about a child's SOS, independent of the service. */
export class SosModel {
  now: number;
  openSos: OpenSos | null = null;
  /** Number of sent alert SMS by phone number. */
  readonly smsCountByPhone = new Map<string, number>();
  /** Events of this child in outbox order. */
  readonly events: string[] = [];

  constructor(now: number) {
    this.now = now;
  }

  get state(): string {
    if (!this.openSos) return 'none';
    if (this.openSos.acknowledgedBy !== null) return 'ACKNOWLEDGED';
    return this.openSos.isNotifying ? 'NOTIFYING' : 'RAISED';
  }

  /**
   * @param time when the child raised the SOS, by the watch's clock
   * @param order contacts who may be notified, in SOS order
   */
  raise(sosId: string, time: number, order: readonly ReachableContact[]): void {
    const { now, openSos } = this;
    if (openSos) return this.raiseAgain(openSos, time, order);
    this.events.push('raised');
    const steps: ModelStep[] = [{ step: 0, channel: 'APP', at: now, refId: null }];
    this.openSos = {
      sosId,
      isNotifying: false,
      acknowledgedBy: null,
      lastRaisedAt: time,
      trackedUntil: now + 12 * 3_600_000,
      nextAt: now + STEP_MS,
      notifiedRefIds: new Set(),
      isRepeating: false,
      lastSmsAt: 0,
      steps,
    };
  }

  /** Applies an acknowledgement. Only the first acknowledgement of an SOS counts. */
  acknowledge(userId: string): void {
    const { openSos } = this;
    if (!openSos || openSos.acknowledgedBy !== null) return;
    Object.assign(openSos, { acknowledgedBy: `user:${userId}`, nextAt: null });
    this.events.push('acknowledged');
  }

  resolve(): void {
    if (this.openSos) this.events.push('resolved');
    this.openSos = null;
  }

  /** Processes the escalation step if it is due at the current time. */
  processDueStep(order: readonly ReachableContact[]): void {
    const { now, openSos } = this;
    if (!openSos || openSos.nextAt === null || openSos.nextAt > now) return;
    const remaining = order.filter(({ refId }) => !openSos.notifiedRefIds.has(refId));
    const [next] = remaining;
    if (order.length === 0) {
      openSos.nextAt = now + REPEAT_MS;
    } else if (next && !openSos.isRepeating) {
      openSos.nextAt = now + (remaining.length === 1 ? REPEAT_MS : STEP_MS);
      this.notify(openSos, [next], next.refId);
    } else if (now - openSos.lastSmsAt < REPEAT_MS) {
      openSos.nextAt = openSos.lastSmsAt + REPEAT_MS;
    } else {
      openSos.isRepeating = true;
      openSos.nextAt = now + REPEAT_MS;
      this.notify(openSos, order, null);
    }
  }

  /** Applies the event that no app of the member received the alert. */
  applyUndeliveredAlert(userId: string, order: readonly ReachableContact[]): void {
    const { openSos, now } = this;
    const contact = order.find((one) => one.userId === userId);
    if (
      !openSos ||
      openSos.acknowledgedBy !== null ||
      openSos.isRepeating ||
      !contact ||
      openSos.notifiedRefIds.has(contact.refId)
    )
      return;
    openSos.steps.push({ step: this.nextStep(openSos), channel: 'SMS', at: now, refId: contact.refId });
    this.sendSms(openSos, contact);
  }

  /** Applies the crash of a replica that had claimed the due step. */
  crash(): void {
    const { openSos, now } = this;
    if (openSos && openSos.nextAt !== null && openSos.nextAt <= now) openSos.nextAt = now + LEASE_MS;
  }

  private raiseAgain(openSos: OpenSos, time: number, order: readonly ReachableContact[]): void {
    const { now } = this;
    const last = Math.max(...openSos.steps.map(({ at }) => at));
    if (openSos.acknowledgedBy !== null && now - last >= STEP_MS && order.some(({ userId }) => userId !== null)) {
      openSos.steps.push({ step: this.nextStep(openSos), channel: 'APP', at: now, refId: null });
      this.events.push('escalated');
    }
    if (time - openSos.lastRaisedAt >= 3_600_000) openSos.trackedUntil = now + 12 * 3_600_000;
    openSos.lastRaisedAt = Math.max(openSos.lastRaisedAt, time);
  }

  private notify(openSos: OpenSos, recipients: readonly ReachableContact[], refId: string | null): void {
    const step = this.nextStep(openSos);
    openSos.isNotifying = true;
    if (recipients.some(({ userId }) => userId !== null)) {
      openSos.steps.push({ step, channel: 'APP', at: this.now, refId });
      this.events.push('escalated');
    }
    openSos.steps.push({ step, channel: 'SMS', at: this.now, refId });
    for (const contact of recipients) this.sendSms(openSos, contact);
  }

  private sendSms(openSos: OpenSos, { refId, phoneNumber }: ReachableContact): void {
    openSos.notifiedRefIds.add(refId);
    openSos.lastSmsAt = this.now;
    this.smsCountByPhone.set(phoneNumber, (this.smsCountByPhone.get(phoneNumber) ?? 0) + 1);
  }

  private nextStep(openSos: OpenSos): number {
    return Math.max(...openSos.steps.map(({ step }) => step)) + 1;
  }
}
