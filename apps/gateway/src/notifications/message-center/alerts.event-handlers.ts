import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { FenceEventType } from '@family-watch/domain/locations/contracts/fence';
import type { CenterMessageParams, CenterMessageType } from '@family-watch/domain/messages/contracts/message-center';
import type { WatchShutdownCause } from '@family-watch/domain/watches/contracts/watch';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { OnEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { mayReceive } from '../../projections/delivery-access.js';
import { FamilyLookupService } from '../../projections/family-lookup.service.js';
import { AlertRepository } from './alert.repository.js';
import { MessageCenterService } from './message-center.service.js';
import { UrgentAlertsService } from './urgent-alerts.service.js';

const FENCE_MESSAGE_TYPES: Record<FenceEventType, CenterMessageType> = {
  ENTERED: 'FENCE_ENTERED',
  LEFT: 'FENCE_LEFT',
  DWELLED: 'FENCE_DWELLED',
  NOT_ARRIVED: 'FENCE_NOT_ARRIVED',
  LEFT_EARLY: 'FENCE_LEFT_EARLY',
};

/**
 * A recipient needs the LOCATION permission, because the message reveals where the child is, and the ALERTS permission,
 * because the message is an alert.
 */
const REQUIRED_PERMISSIONS = ['LOCATION', 'ALERTS'] as const;

type SosEvent = 'userctx.sos.raised' | 'userctx.sos.escalated' | 'userctx.sos.acknowledged' | 'userctx.sos.resolved';

const SOS_MESSAGE_TYPES: Record<SosEvent, CenterMessageType> = {
  'userctx.sos.raised': 'SOS_RAISED',
  'userctx.sos.escalated': 'SOS_ESCALATED',
  'userctx.sos.acknowledged': 'SOS_ACKNOWLEDGED',
  'userctx.sos.resolved': 'SOS_RESOLVED',
};

type BindingEvent = 'userctx.watch.bound' | 'userctx.watch.unbound';

/** Message types of unintended shutdowns; deliberate shutdowns publish nothing. */
const UNINTENDED_SHUTDOWN_TYPES: Partial<Record<WatchShutdownCause, CenterMessageType>> = {
  LOST_CONNECTION: 'WATCH_LOST_CONNECTION',
  BATTERY: 'WATCH_BATTERY_EMPTY',
};

/** Publishes center messages about watches and the safety of children. */
@Injectable()
export class AlertsEventHandlers {
  constructor(
    private readonly families: FamilyLookupService,
    private readonly center: MessageCenterService,
    private readonly batteryAlerts: AlertRepository,
    private readonly alerts: UrgentAlertsService,
  ) {}

  /** Publishes fence events to the members who may see the child's location and receive its alerts. */
  @OnEvent('userctx.fence.triggered', { handler: 'gateway.message-center.notify-fence' })
  async publishFenceEvent({ id, payload }: EventOf<DomainEvents, 'userctx.fence.triggered'>): Promise<void> {
    const { familyId, cid, did, fenceId, fenceEventId, type, time, late } = payload;
    const subject = { familyId, cid, did, audience: 'LOCATION' } as const;
    const family = await this.families.get(familyId);
    const isRecipient = (userId: string): boolean =>
      REQUIRED_PERMISSIONS.every((audience) => mayReceive(`user:${userId}`, { ...subject, audience }, family));
    const userIds = family.members.map(({ userId }) => userId).filter(isRecipient);
    const params = { fenceId, fenceEventId, late };
    await this.center.publish({ ...subject, source: id, type: FENCE_MESSAGE_TYPES[type], params, time, userIds });
  }

  /** Alerts members when the battery of a watch runs low, once per alert level while the battery drains. */
  @OnEvent('gateway.watch.status-reported', { handler: 'gateway.message-center.notify-low-battery' })
  async publishLowBattery({ id, payload }: EventOf<DomainEvents, 'gateway.watch.status-reported'>): Promise<void> {
    const { did, battery, charging, time } = payload;
    if (battery === null) return;
    const previousLevel = await this.batteryAlerts.findAlertedLevel(did);
    const { alertedLevel, shouldAlert } = decideBatteryAlert(previousLevel, battery, charging === true);
    if (alertedLevel !== previousLevel) await this.batteryAlerts.saveAlertedLevel(did, alertedLevel);
    const child = shouldAlert ? await this.families.findByWatch(did) : undefined;
    if (!child) return;
    const subject = { familyId: child.family.familyId, cid: child.cid, did, audience: 'ALERTS' } as const;
    await this.center.publish({ ...subject, source: id, type: 'BATTERY_LOW', params: { battery }, time });
  }

  /**
   * Publishes an SOS to all members with the ALERTS permission for the child when it is raised, acknowledged or
   * resolved, and to the recipients of each escalation step. One handler processes all SOS events, so that an alert
   * is raised before it is cancelled.
   */
  @OnEvent(['userctx.sos.raised', 'userctx.sos.escalated', 'userctx.sos.acknowledged', 'userctx.sos.resolved'], {
    handler: 'gateway.message-center.notify-sos',
  })
  async publishSos({ id, name, payload }: EventOf<DomainEvents, SosEvent>): Promise<void> {
    const { familyId, cid, did, sosId, time } = payload;
    const subject = { familyId, cid, did, audience: 'ALERTS' } as const;
    const recipients = 'userIds' in payload ? { userIds: payload.userIds } : {};
    const content = { source: id, type: SOS_MESSAGE_TYPES[name], params: sosParamsOf(payload), time, alertKey: sosId };
    await this.center.publish({ ...subject, ...content, ...recipients });
    if ('by' in payload) this.alerts.cancel(sosId);
  }

  /** Notifies guardians when a watch is bound to a child or unbound. */
  @OnEvent(['userctx.watch.bound', 'userctx.watch.unbound'], { handler: 'gateway.message-center.notify-binding' })
  async publishWatchBinding({ id, name, payload }: EventOf<DomainEvents, BindingEvent>): Promise<void> {
    const { familyId, cid, did, by, time } = payload;
    const type = name === 'userctx.watch.bound' ? 'WATCH_BOUND' : 'WATCH_UNBOUND';
    // Earlier battery alerts were sent to another family or about another child, so the alert levels start again.
    await this.batteryAlerts.saveAlertedLevel(did, null);
    await this.center.publish({ source: id, type, params: { by }, familyId, cid, did, audience: 'GUARDIANS', time });
  }

  /** Alerts members when a watch has lost its connection or has shut down because its battery is empty. */
  @OnEvent('gateway.watch.shut-down', { handler: 'gateway.message-center.notify-watch-offline' })
  async publishWatchOffline({ payload }: EventOf<DomainEvents, 'gateway.watch.shut-down'>): Promise<void> {
    const { did, time, cause } = payload;
    const type = UNINTENDED_SHUTDOWN_TYPES[cause];
    const child = type && (await this.families.findByWatch(did));
    if (!type || !child) return;
    const subject = { familyId: child.family.familyId, cid: child.cid, did, audience: 'ALERTS' } as const;
    // A report that the watch repeats with the same `time`, because the response was lost, has the same source, so the
    // message is published once.
    await this.center.publish({ ...subject, source: `watch:${did}:${time}`, type, params: {}, time });
  }
}

function sosParamsOf(payload: DomainEvents[SosEvent]): CenterMessageParams {
  const { sosId } = payload;
  if ('by' in payload) return { sosId, by: payload.by };
  return 'step' in payload ? { sosId, step: payload.step } : { sosId };
}

/** Battery levels, in per cent, at which guardians are notified; highest first. */
const ALERT_LEVELS_PERCENT = [20, 10] as const;
/**
 * An alert at a level can be raised again only after the battery was this many per cent above the level, so a
 * fluctuating value raises one alert.
 */
const HYSTERESIS_PERCENT = 5;

export interface BatteryAlertDecision {
  /** The lowest level at which an alert was raised and above which the battery has not risen since, or `null`. */
  alertedLevel: number | null;
  /** True when the battery has just fallen to a level at which no alert is active. */
  shouldAlert: boolean;
}

/** Decides whether a reported battery level (per cent) raises an alert; a charging watch raises no alert. */
export function decideBatteryAlert(
  alertedLevel: number | null,
  battery: number,
  charging: boolean,
): BatteryAlertDecision {
  const activeLevel =
    ALERT_LEVELS_PERCENT.findLast(
      (level) => alertedLevel !== null && level >= alertedLevel && battery < level + HYSTERESIS_PERCENT,
    ) ?? null;
  const reachedLevel = ALERT_LEVELS_PERCENT.findLast((level) => battery <= level) ?? null;
  const isNew = reachedLevel !== null && (activeLevel === null || reachedLevel < activeLevel);
  return isNew && !charging
    ? { alertedLevel: reachedLevel, shouldAlert: true }
    : { alertedLevel: activeLevel, shouldAlert: false };
}
