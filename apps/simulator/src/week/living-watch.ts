import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveredMessage } from '@family-watch/client';
import { CHAT_KIND, type ChatKind } from '@family-watch/domain/messages/contracts/chat';
import { POINT_TYPE, type Location } from '@family-watch/domain/locations/contracts/location';
import { Walk } from '../track/walk.js';
import { coordinatesOf } from '../watch/location-reporter.js';
import { react } from './calls.js';
import { markRead } from './conversations.js';
import type { FamilyChild } from './demo-family.js';
import { neighbourOf, placeOf, walkBetween } from './places.js';
import { fixesBetween } from './timetable.js';

const REPORT_INTERVAL_MS = 20_000;
const HOUR_MS = 3_600_000;
/** Speed of a bike as a multiple of walking pace. */
const BIKE_SPEED = 3;
/** How long the child reads a message before it replies, and lets the watch ring before it rejects a call. */
const [REPLY_DELAY_MS, RING_MS] = [1_500, 8_000];

const REPLIES = ['Hi!', 'OK!', 'I am fine', 'Where are you?', 'Can we go to the park later?', 'See you soon'];

/**
 * The watch of a child that lives on: it reports where the child is according to the timetable, reads the messages of
 * members and replies to them, and rings for calls. Nobody accepts the calls, because a simulated watch has no camera.
 */
export class LivingWatch {
  private replyCount = 0;

  constructor(private readonly familyChild: FamilyChild) {
    for (const kind of Object.values(CHAT_KIND))
      this.connection.gateway.onMessage(kind, (message) => void this.attempt(this.replyTo(message)));
    this.connection.gateway.onMessage('VideoCallInNoticeMessage', ({ payload: { callId, state } }) => {
      if (state === 'RINGING') void this.attempt(this.rejectCall(callId));
    });
  }

  private get connection() {
    return this.familyChild.watch.connection;
  }

  /** Lets the child ride a bike to another place and back, so that the child moves on the map and crosses a fence. */
  async rideABike(): Promise<void> {
    const { watch } = this.familyChild;
    const present = this.presentFix();
    const place = present && placeOf(coordinatesOf(present));
    if (place === undefined) return;
    const destination = neighbourOf(place);
    const there = walkBetween(place, destination);
    const { offset: turn } = there.at(-1) ?? { offset: 0 };
    const back = walkBetween(destination, place).map((point) => ({ ...point, offset: point.offset + turn }));
    this.connection.log(`rides a bike from ${place} to ${destination} and back`);
    await this.attempt(new Walk([...there, ...back.slice(1)], BIKE_SPEED).replay(watch.locationReporter));
    this.connection.log('is back');
  }

  /** Reports the present location, and then each location of the timetable until the program ends. */
  async followTimetable(): Promise<never> {
    const { child, watch, timetable } = this.familyChild;
    const present = this.presentFix();
    let reportedUntil = Date.now();
    if (present) await this.attempt(watch.locationReporter.report([{ ...present, positionTime: reportedUntil }]));
    for (;;) {
      await sleep(REPORT_INTERVAL_MS);
      const now = Date.now();
      const points = fixesBetween(timetable, child.timeZone, reportedUntil + 1, now + 1);
      if (points.length > 0) await this.attempt(watch.locationReporter.report(points));
      reportedUntil = now;
    }
  }

  /** Returns the newest fix that shows the place where the child is, which a fix by cells does not. */
  private presentFix(): Location | undefined {
    const { child, timetable } = this.familyChild;
    const now = Date.now();
    const fixes = fixesBetween(timetable, child.timeZone, now - HOUR_MS, now);
    return fixes.findLast(({ pointType }) => pointType !== POINT_TYPE.CELL);
  }

  private async replyTo({ id, from, payload }: DeliveredMessage<ChatKind>): Promise<void> {
    if (from.type !== 'user') return;
    const { conversationId } = payload;
    await sleep(REPLY_DELAY_MS);
    await markRead(this.connection, conversationId, id);
    const text = REPLIES[this.replyCount++ % REPLIES.length] ?? '';
    await this.connection.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text });
    this.connection.log(`reads a message and replies: ${text}`);
  }

  private async rejectCall(callId: string): Promise<void> {
    this.connection.log('rings');
    await sleep(RING_MS);
    await react(this.connection, 'reject', callId);
    this.connection.log('rejects the call');
  }

  /** Logs an error and continues: the server may be restarted, and school time or the caller may end the attempt. */
  private attempt(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => this.connection.log(`has a problem and continues: ${String(error)}`));
  }
}
