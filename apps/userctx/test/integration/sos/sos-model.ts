/** Milliseconds between two steps of the escalation, and between two repetitions after the last contact. */
const STEP = 30_000;
const REPEAT = 600_000;
/** Milliseconds after which other processes take over a step that a crashed process had claimed. */
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
  notifying: boolean;
  acknowledgedBy: string | null;
  followUntil: number;
  lastRaisedAt: number;
  /** Time of the next escalation step; `null` once a person has acknowledged the SOS. */
  nextAt: number | null;
  /** Ids of the contacts that were already notified. */
  notified: Set<string>;
  repeating: boolean;
  lastSms: number;
  steps: ModelStep[];
}

/** Model of the notifications about a child's SOS, independent of the service. */
export class SosModel {
  now: number;
  call: OpenSos | null = null;
  /** Number of sent alert SMS by phone number. */
  readonly sms = new Map<string, number>();
  /** Events of this child in outbox order. */
  readonly events: string[] = [];

  constructor(now: number) {
    this.now = now;
  }

  get state(): string {
    if (!this.call) return 'none';
    if (this.call.acknowledgedBy !== null) return 'ACKNOWLEDGED';
    return this.call.notifying ? 'NOTIFYING' : 'RAISED';
  }

  /** @param time when the child raised the SOS, by the watch's clock */
  raise(sosId: string, time: number, order: readonly ReachableContact[]): void {
    const { now, call } = this;
    if (call) return this.raiseAgain(call, time, order);
    this.events.push('raised');
    const steps: ModelStep[] = [{ step: 0, channel: 'APP', at: now, refId: null }];
    this.call = {
      sosId,
      notifying: false,
      acknowledgedBy: null,
      lastRaisedAt: time,
      followUntil: now + 12 * 3_600_000,
      nextAt: now + STEP,
      notified: new Set(),
      repeating: false,
      lastSms: 0,
      steps,
    };
  }

  /** Applies an acknowledgement. Only the first acknowledgement of an SOS counts. */
  acknowledge(userId: string): void {
    const { call } = this;
    if (!call || call.acknowledgedBy !== null) return;
    Object.assign(call, { acknowledgedBy: `user:${userId}`, nextAt: null });
    this.events.push('acknowledged');
  }

  resolve(): void {
    if (this.call) this.events.push('resolved');
    this.call = null;
  }

  /** Processes the escalation step if it is due at the current time. */
  tick(order: readonly ReachableContact[]): void {
    const { now, call } = this;
    if (!call || call.nextAt === null || call.nextAt > now) return;
    const remaining = order.filter(({ refId }) => !call.notified.has(refId));
    const [next] = remaining;
    if (order.length === 0) {
      call.nextAt = now + REPEAT;
    } else if (next && !call.repeating) {
      call.nextAt = now + (remaining.length === 1 ? REPEAT : STEP);
      this.notify(call, [next], next.refId);
    } else if (now - call.lastSms < REPEAT) {
      call.nextAt = call.lastSms + REPEAT;
    } else {
      call.repeating = true;
      call.nextAt = now + REPEAT;
      this.notify(call, order, null);
    }
  }

  /** Applies the event that no app of the member received the alert. */
  undelivered(userId: string, order: readonly ReachableContact[]): void {
    const { call, now } = this;
    const contact = order.find((one) => one.userId === userId);
    if (!call || call.acknowledgedBy !== null || call.repeating || !contact || call.notified.has(contact.refId)) return;
    call.steps.push({ step: this.nextStep(call), channel: 'SMS', at: now, refId: contact.refId });
    this.sendSms(call, contact);
  }

  /** Applies the crash of a process that had claimed the due step. */
  crash(): void {
    const { call, now } = this;
    if (call && call.nextAt !== null && call.nextAt <= now) call.nextAt = now + LEASE_MS;
  }

  private raiseAgain(call: OpenSos, time: number, order: readonly ReachableContact[]): void {
    const { now } = this;
    const last = Math.max(...call.steps.map(({ at }) => at));
    if (call.acknowledgedBy !== null && now - last >= STEP && order.some(({ userId }) => userId !== null)) {
      call.steps.push({ step: this.nextStep(call), channel: 'APP', at: now, refId: null });
      this.events.push('escalated');
    }
    if (time - call.lastRaisedAt >= 3_600_000) call.followUntil = now + 12 * 3_600_000;
    call.lastRaisedAt = Math.max(call.lastRaisedAt, time);
  }

  private notify(call: OpenSos, recipients: readonly ReachableContact[], refId: string | null): void {
    const step = this.nextStep(call);
    call.notifying = true;
    if (recipients.some(({ userId }) => userId !== null)) {
      call.steps.push({ step, channel: 'APP', at: this.now, refId });
      this.events.push('escalated');
    }
    call.steps.push({ step, channel: 'SMS', at: this.now, refId });
    for (const contact of recipients) this.sendSms(call, contact);
  }

  private sendSms(call: OpenSos, { refId, phoneNumber }: ReachableContact): void {
    call.notified.add(refId);
    call.lastSms = this.now;
    this.sms.set(phoneNumber, (this.sms.get(phoneNumber) ?? 0) + 1);
  }

  private nextStep(call: OpenSos): number {
    return Math.max(...call.steps.map(({ step }) => step)) + 1;
  }
}
