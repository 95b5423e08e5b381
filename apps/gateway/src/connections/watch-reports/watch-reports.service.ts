import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { validatePoint, type PointResult } from '@family-watch/domain/locations/contracts/validate-point';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import type { HeartbeatPayload } from '@family-watch/domain/messages/contracts/payloads';
import type {
  LocationChangeReportDto,
  WatchShutdownReportDto,
  WatchStartupReportDto,
} from '@family-watch/domain/messages/dto/payloads.dto';
import type { WatchStatus } from '@family-watch/domain/watches/contracts/watch';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK, projectionUnknownError } from '../../infrastructure/gateway-infrastructure.js';
import { deriveMessageId, toMailboxEntries } from '../../mailbox/mailbox-entry.js';
import { MailboxService, type MailboxDelivery } from '../../mailbox/mailbox.service.js';
import { PresenceService } from '../presence/presence.service.js';
import { ConnectedFamiliesService } from '../../projections/connected-families.service.js';
import { filterRecipients } from '../../projections/delivery-access.js';

/** Publishes what watches report: events for the other apps, and notices of startups and shutdowns to guardians. */
@Injectable()
export class WatchReportsService {
  private readonly logger = new Logger(WatchReportsService.name);

  constructor(
    private readonly families: ConnectedFamiliesService,
    private readonly mailboxes: MailboxService,
    private readonly presence: PresenceService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Publishes a status event if a field of {@link IMMEDIATE_FIELDS} has changed or the last event is a minute old. */
  recordHeartbeat(did: number, heartbeat: HeartbeatPayload, throttle: StatusThrottle): void {
    const key: PrincipalKey = `watch:${did}`;
    void this.presence.recordHeartbeat(key);
    const status = toWatchStatus(heartbeat);
    const time = this.clock.now();
    if (!throttle.shouldPublish(status, time)) return;
    const payload = { ...status, did, time };
    // The response does not wait for the commit: the next heartbeat makes up for a lost event.
    this.mailboxes
      .deliver({ events: [{ name: 'gateway.watch.status-reported', key, payload }] })
      .catch((error: unknown) => {
        throttle.reset();
        this.logger.warn({ msg: 'Watch status event failed', principal: key, err: error });
      });
  }

  /**
   * Publishes the valid points of a report, and rejects only the invalid ones; userctx evaluates whether the points are
   * plausible.
   */
  async recordPoints(
    did: number,
    points: LocationChangeReportDto['points'],
  ): Promise<{ id: string; points: PointResult[] }> {
    const accepted: Location[] = [];
    const results = points.map((point, index): PointResult => {
      const check = validatePoint(point);
      if (!check.isValid) return { index, accepted: false, flags: [], reason: check.reason };
      accepted.push(check.point);
      return { index, accepted: true, flags: [], reason: null };
    });
    if (accepted.length > 0) {
      const payload = { did, points: accepted, receivedAt: this.clock.now() };
      await this.mailboxes.deliver({ events: [{ name: 'gateway.location.reported', key: `watch:${did}`, payload }] });
    }
    return { id: randomUUID(), points: results };
  }

  /** @throws ServiceError WATCH_UNBOUND */
  async recordStartup(did: number, { time, cause }: WatchStartupReportDto): Promise<{ id: string }> {
    const payload = { did, time: this.clampToNow(time), cause };
    const event = { name: 'gateway.watch.started', key: `watch:${did}`, payload } as const;
    return this.publish('WristwatchStartupNoticeMessage', payload, [event]);
  }

  /** @throws ServiceError WATCH_UNBOUND */
  async recordShutdown(did: number, { time, cause }: WatchShutdownReportDto): Promise<{ id: string }> {
    const payload = { did, time: this.clampToNow(time), cause };
    const event = { name: 'gateway.watch.shut-down', key: `watch:${did}`, payload } as const;
    const published = await this.publish('WristwatchShutdownNoticeMessage', payload, [event]);
    // Only after the report is stored: an announced shutdown suppresses the report of a lost connection.
    await this.presence.recordShutdown(`watch:${did}`);
    return published;
  }

  /**
   * Publishes the report. A report that the watch repeats with the same `time`, because the response was lost, has the
   * same source, so its notice is delivered once.
   */
  private async publish(
    kind: MessageKind,
    payload: { did: number; time: number },
    events: MailboxDelivery['events'],
  ): Promise<{ id: string }> {
    const { did } = payload;
    const child = await this.families.childOf(String(did));
    if (!child) throw new ServiceError('WATCH_UNBOUND');
    const family = await this.families.find(child.familyId);
    if (!family) throw projectionUnknownError();
    const subject = { ...child, audience: 'GUARDIANS' } as const;
    const source = `watch:${did}:${payload.time}`;
    const from = { type: 'watch', id: String(did) } as const;
    const message = { ...subject, kind, source, time: this.clock.now(), from, did, payload };
    await this.mailboxes.deliver({ events, entries: toMailboxEntries(filterRecipients(subject, family), message) });
    return { id: deriveMessageId(`${source}:${kind}`) };
  }

  /** Returns the reported time, or the current time if the report has no time or the watch's clock is ahead. */
  private clampToNow(reported: number | undefined): number {
    return Math.min(reported ?? Number.POSITIVE_INFINITY, this.clock.now());
  }
}

/** A status is published after this time even if no field has changed. Milliseconds. */
const REPUBLISH_INTERVAL_MS = 60_000;

/**
 * Fields whose changes are published immediately; signal strength and step count change all the time, so they are
 * published at the next interval.
 */
const IMMEDIATE_FIELDS: readonly (keyof WatchStatus)[] = ['battery', 'charging', 'worn', 'firmwareVersion'];

export function toWatchStatus(heartbeat: HeartbeatPayload): WatchStatus {
  const { battery, charging, worn, signal, signalMax, stepTotal, firmwareVersion } = heartbeat;
  return {
    battery: battery ?? null,
    charging: charging ?? null,
    worn: worn ?? null,
    signal: signal ?? null,
    signalMax: signalMax ?? null,
    stepTotal: stepTotal ?? null,
    firmwareVersion: firmwareVersion ?? null,
  };
}

/** Throttles the status events of one watch, so that not every heartbeat publishes an event. */
export class StatusThrottle {
  private lastPublished: { status: WatchStatus; time: number } | undefined;

  /**
   * Returns whether to publish this status at `time` (Unix milliseconds), and records a status to publish as published.
   */
  shouldPublish(status: WatchStatus, time: number): boolean {
    const { lastPublished } = this;
    const changed = !lastPublished || IMMEDIATE_FIELDS.some((field) => lastPublished.status[field] !== status[field]);
    if (!changed && time - lastPublished.time < REPUBLISH_INTERVAL_MS) return false;
    this.lastPublished = { status, time };
    return true;
  }

  /** Resets the throttle, so that the next heartbeat publishes its status; called when an event could not be stored. */
  reset(): void {
    this.lastPublished = undefined;
  }
}
