import { randomUUID } from 'node:crypto';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { expectOk, type HttpClient } from './http-client.js';
import type { FamilyFixture } from './family-fixture.js';
import { VALID_CHILD, type Parent } from './parent.js';
import type { TestService } from './test-service.js';

const MESSAGE_PATH = '/apis/v2/message/';
const SCHOOL_TIME_PATH = 'device/school-disable/';
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const WHOLE_DAY_RANGES = [
  ['00:00', '12:00'],
  ['12:00', '00:00'],
] as const;
/** Time within which a changed rule must be enforced on every node. */
const ENFORCED_WITHIN_MS = 2_000;

/** `ok`, or the reason of the error response. */
export type Outcome = string;

/** A family whose members try to chat and call under the child rules that the parents set. */
export class CommunicationScenario {
  constructor(readonly fixture: FamilyFixture) {}

  /** Sends a text by REST. @returns the outcome of the request */
  async sendText(by: HttpClient, conversationId: string, clientMsgId: string = randomUUID()): Promise<Outcome> {
    const message = { kind: 'ChatTextMessage', clientMsgId, conversationId, text: 'Hi' };
    return outcomeOf(await by.post(`${MESSAGE_PATH}send`, message));
  }

  /** Starts a call and hangs up if the call rings. @returns the outcome of the start */
  async call(by: HttpClient, to: object): Promise<Outcome> {
    const answer = await by.post<{ callId?: string; state?: string }>(`${MESSAGE_PATH}video-call/create`, { to });
    const { callId } = answer.body;
    if (callId !== undefined) await by.post(`${MESSAGE_PATH}video-call/hangup`, { callId });
    return outcomeOf(answer);
  }

  /** Creates two school times that together cover the whole day. */
  async createAllDaySchoolTime(): Promise<void> {
    const { owner, watch } = this.fixture;
    for (const [start, end] of WHOLE_DAY_RANGES) {
      await expectOk(owner.post(`${SCHOOL_TIME_PATH}create`, { did: watch.did, start, end, weekdays: EVERY_DAY }));
    }
  }

  /** Adds a member to the allowed contacts of each school time. */
  async allowInSchool(member: Parent): Promise<void> {
    const { did } = this.fixture.watch;
    const allowContacts = [await this.fixture.contactOf(member)];
    const { items } = await expectOk(
      this.fixture.owner.get<{ items: { schoolTimeId: string }[] }>(`${SCHOOL_TIME_PATH}get`, { did }),
    );
    for (const { schoolTimeId } of items)
      await expectOk(this.fixture.owner.post(`${SCHOOL_TIME_PATH}update`, { did, schoolTimeId, allowContacts }));
  }

  async pauseToday(paused = true): Promise<void> {
    await expectOk(this.fixture.owner.post(`${SCHOOL_TIME_PATH}pause-today`, { did: this.fixture.watch.did, paused }));
  }

  async changeContact(of: Parent, change: object): Promise<void> {
    const { owner, watch } = this.fixture;
    const refId = await this.fixture.contactOf(of);
    await expectOk(owner.post('device/contacts/update', { deviceId: watch.did, refId, ...change }));
  }

  async setTimeZone(timeZone: string): Promise<void> {
    await expectOk(this.fixture.owner.post('child/update', { ...VALID_CHILD, cid: this.fixture.cid, timeZone }));
  }
}

export function outcomeOf({ status, body }: { status: number; body: unknown }): Outcome {
  return status === 200 ? 'ok' : String((body as { reason?: string }).reason);
}

/**
 * Repeats an attempt on each gateway until its outcome is the expected one: the edge distributes requests over the
 * gateways, and one gateway may learn of a change before the other.
 *
 * @throws Error when two seconds have passed
 */
export async function waitForOutcome(
  { gatewayUrls }: TestService,
  what: string,
  expected: Outcome,
  attempt: (gatewayUrl: string) => Promise<Outcome>,
): Promise<void> {
  const waits = gatewayUrls.map((url) => {
    let outcome: Outcome = '';
    const isExpected = async () => (outcome = await attempt(url)) === expected;
    return waitUntil(() => `${what}: ${outcome} and not ${expected}`, isExpected, ENFORCED_WITHIN_MS);
  });
  await Promise.all(waits);
}

/** Returns a time zone in which it is now between 12:00 and 13:00, and a time zone eight hours away from it. */
export function findTestZones(): { noonZone: string; otherZone: string } {
  const ahead = 12 - new Date().getUTCHours();
  return { noonZone: zoneAheadOfUtc(ahead), otherZone: zoneAheadOfUtc(ahead > 6 ? ahead - 8 : ahead + 8) };
}

/** Returns the zone `hours` ahead of UTC. Signs in names of Etc zones are inverted: Etc/GMT-8 is east of Greenwich. */
function zoneAheadOfUtc(hours: number): string {
  return hours === 0 ? 'Etc/UTC' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
}
