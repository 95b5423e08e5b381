/** The paces that the walk is under. Milliseconds. */
const STEP = 30_000;
const REPEAT = 600_000;
/** What a process that died between taking a call and its step holds the others up. */
export const CLAIM = 10_000;

/** Somebody who can be told. */
export interface Reachable {
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

interface OpenCall {
  sosId: string;
  notifying: boolean;
  acknowledgedBy: string | null;
  followUntil: number;
  lastRaisedAt: number;
  /** `null` once a person cares for it. */
  nextAt: number | null;
  /** Those whose turn is over, until it is everybody's. */
  told: Set<string>;
  everybody: boolean;
  lastSms: number;
  steps: ModelStep[];
}

/** What a family is told of its child's call for help, written down apart from the service. */
export class SosModel {
  now: number;
  call: OpenCall | null = null;
  /** How many alerts each number has had. */
  readonly sms = new Map<string, number>();
  /** Facts about this child in the order of the outbox. */
  readonly facts: string[] = [];

  constructor(now: number) {
    this.now = now;
  }

  get state(): string {
    if (!this.call) return 'none';
    if (this.call.acknowledgedBy !== null) return 'ACKNOWLEDGED';
    return this.call.notifying ? 'NOTIFYING' : 'RAISED';
  }

  /** @param time when the child called, by the watch */
  raise(sosId: string, time: number, order: readonly Reachable[]): void {
    const { now, call } = this;
    if (call) return this.raiseAgain(call, time, order);
    this.facts.push('raised');
    const steps: ModelStep[] = [{ step: 0, channel: 'APP', at: now, refId: null }];
    this.call = {
      sosId,
      notifying: false,
      acknowledgedBy: null,
      lastRaisedAt: time,
      followUntil: now + 12 * 3_600_000,
      nextAt: now + STEP,
      told: new Set(),
      everybody: false,
      lastSms: 0,
      steps,
    };
  }

  /** The first one takes care of it. */
  acknowledge(userId: string): void {
    const { call } = this;
    if (!call || call.acknowledgedBy !== null) return;
    Object.assign(call, { acknowledgedBy: `user:${userId}`, nextAt: null });
    this.facts.push('acknowledged');
  }

  resolve(): void {
    if (this.call) this.facts.push('resolved');
    this.call = null;
  }

  /** The clock stands where it stands, and what is due happens. */
  tick(order: readonly Reachable[]): void {
    const { now, call } = this;
    if (!call || call.nextAt === null || call.nextAt > now) return;
    const untold = order.filter(({ refId }) => !call.told.has(refId));
    const [next] = untold;
    if (order.length === 0) {
      call.nextAt = now + REPEAT;
    } else if (next && !call.everybody) {
      call.nextAt = now + (untold.length === 1 ? REPEAT : STEP);
      this.tell(call, [next], next.refId);
    } else if (now - call.lastSms < REPEAT) {
      call.nextAt = call.lastSms + REPEAT;
    } else {
      call.everybody = true;
      call.nextAt = now + REPEAT;
      this.tell(call, order, null);
    }
  }

  /** No app of the person has taken an alert. */
  undelivered(userId: string, order: readonly Reachable[]): void {
    const { call, now } = this;
    const contact = order.find((one) => one.userId === userId);
    if (!call || call.acknowledgedBy !== null || call.everybody || !contact || call.told.has(contact.refId)) return;
    call.steps.push({ step: this.nextStep(call), channel: 'SMS', at: now, refId: contact.refId });
    this.text(call, contact);
  }

  /** A process took what is due and died. */
  crash(): void {
    const { call, now } = this;
    if (call && call.nextAt !== null && call.nextAt <= now) call.nextAt = now + CLAIM;
  }

  private raiseAgain(call: OpenCall, time: number, order: readonly Reachable[]): void {
    const { now } = this;
    const last = Math.max(...call.steps.map(({ at }) => at));
    if (call.acknowledgedBy !== null && now - last >= STEP && order.some(({ userId }) => userId !== null)) {
      call.steps.push({ step: this.nextStep(call), channel: 'APP', at: now, refId: null });
      this.facts.push('escalated');
    }
    if (time - call.lastRaisedAt >= 3_600_000) call.followUntil = now + 12 * 3_600_000;
    call.lastRaisedAt = Math.max(call.lastRaisedAt, time);
  }

  private tell(call: OpenCall, whom: readonly Reachable[], refId: string | null): void {
    const step = this.nextStep(call);
    call.notifying = true;
    if (whom.some(({ userId }) => userId !== null)) {
      call.steps.push({ step, channel: 'APP', at: this.now, refId });
      this.facts.push('escalated');
    }
    call.steps.push({ step, channel: 'SMS', at: this.now, refId });
    for (const contact of whom) this.text(call, contact);
  }

  private text(call: OpenCall, { refId, phoneNumber }: Reachable): void {
    call.told.add(refId);
    call.lastSms = this.now;
    this.sms.set(phoneNumber, (this.sms.get(phoneNumber) ?? 0) + 1);
  }

  private nextStep(call: OpenCall): number {
    return Math.max(...call.steps.map(({ step }) => step)) + 1;
  }
}
