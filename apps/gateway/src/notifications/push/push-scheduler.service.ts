import { createHash } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { MessageCenterChangePayload } from '@family-watch/domain/messages/contracts/message-center';
import type { SubscriptionCategory } from '@family-watch/domain/messages/contracts/subscription';
import type { VideoCallInPayload } from '@family-watch/domain/messages/contracts/video-call';
import type { Clock } from '@family-watch/event-bus/clock';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { counter } from '@family-watch/platform/observability/instruments';
import { CLOCK, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { ConnectionRegistryService } from '../../connections/connection-registry.service.js';
import type { StoredMessage, MailboxAppend } from '../../mailbox/mailbox-entry.js';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { PresenceService } from '../../connections/presence/presence.service.js';
import { PushProviderRegistryService } from './providers/push-provider-registry.service.js';
import { PushRepository, type NewPushRequest } from './push.repository.js';

const MINUTE_MS = 60_000;
/** Milliseconds for which a notification is valid. */
const NOTIFICATION_TTL_MS = { call: 45_000, alert: 4 * 60 * MINUTE_MS, other: 24 * 60 * MINUTE_MS };
/** Milliseconds within which a device can connect and acknowledge the message before a notification is pushed. */
export const ACKNOWLEDGEMENT_GRACE_MS = 2_500;
/** Collapse key that all messages without urgency share: one notification announces all of them. */
const SHARED_COLLAPSE_KEY = 'rest';

/** How a user is notified of a message. */
export interface PushPlan {
  /** A newer push request of the user with the same key replaces an older request that was not sent yet. */
  collapseKey: string;
  category: SubscriptionCategory;
  /** Whether the notification bypasses quiet hours. */
  urgent: boolean;
  /** Whether the notification is sent without waiting for a device to connect. */
  immediate: boolean;
  /** Milliseconds after which the notification expires. */
  ttlMs: number;
  centerMessageId: string | null;
}

/** Returns how to notify a user of a message, or `undefined` if the message needs no notification. */
export function planPush({ envelope, exceptSession }: StoredMessage): PushPlan | undefined {
  // A message that the user has sent from another device needs no notification.
  if (exceptSession !== null) return undefined;
  switch (envelope.kind) {
    case 'ChatTextMessage':
    case 'ChatVoiceMessage':
    case 'ChatVideoMessage':
    case 'ChatImageMessage':
    case 'ChatEmojiMessage':
      return sharedPlan('CHAT');
    case 'WristwatchStartupNoticeMessage':
    case 'WristwatchShutdownNoticeMessage':
      return sharedPlan('WATCH');
    case 'VideoCallInNoticeMessage':
      return callPlan(envelope.payload as VideoCallInPayload);
    case 'MessageCenterChangeNoticeMessage':
      return centerPlan(envelope.payload as MessageCenterChangePayload);
    default:
      return undefined;
  }
}

/** Returns an opaque collapse key for the push service that reveals neither user nor message. */
export function collapseTopic(userId: string, collapseKey: string): string {
  return createHash('sha256').update(`${userId}\n${collapseKey}`).digest('base64url').slice(0, 32);
}

function sharedPlan(category: SubscriptionCategory): PushPlan {
  const options = { urgent: false, immediate: false, ttlMs: NOTIFICATION_TTL_MS.other, centerMessageId: null };
  return { collapseKey: SHARED_COLLAPSE_KEY, category, ...options };
}

function callPlan({ callId, state, signal }: VideoCallInPayload): PushPlan | undefined {
  if (state !== 'RINGING' || signal) return undefined;
  const options = { urgent: false, immediate: true, ttlMs: NOTIFICATION_TTL_MS.call, centerMessageId: null };
  return { collapseKey: `call:${callId}`, category: 'CALL', ...options };
}

function centerPlan({ category, severity, messageId }: MessageCenterChangePayload): PushPlan | undefined {
  // The progress of a batch task needs no notification.
  if (category === 'ALBUM') return undefined;
  const urgent = severity === 'URGENT';
  if (category !== 'SOS' && category !== 'FENCE' && !urgent) return sharedPlan(category);
  const options = { urgent, immediate: true, ttlMs: NOTIFICATION_TTL_MS.alert, centerMessageId: messageId };
  return { collapseKey: `alert:${messageId}`, category, ...options };
}

/**
 * Notifications that may wait for one person. The oldest ones beyond are dropped, those that are not urgent first; the
 * app shows all messages when it is opened.
 */
const MAX_PENDING_REQUESTS = 50;
const DROPPED = counter('push_requests_dropped_total', 'Notifications dropped because too many wait for one person.', [
  'app',
]);

/** Name of the job that sends due notifications. */
export const PUSH_DELIVERY_JOB = 'gateway.notifications.send-due-pushes';
export const URGENT_PUSH_DELIVERY_JOB = 'gateway.notifications.send-due-urgent-pushes';

/** A push request before the check of its user's presence, which determines whether and when the request is sent. */
interface PushCandidate extends NewPushRequest {
  principal: PrincipalKey;
  immediate: boolean;
}

/**
 * Schedules notifications for messages, in the transaction that stores the messages in mailboxes. A batch whose
 * recipients are all connected to this node needs no statement, unless the batch contains an immediate notification. A
 * connection may have failed unnoticed, so a call or an alert is pushed if it was not acknowledged within the grace
 * period.
 */
@Injectable()
export class PushSchedulerService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly mailboxes: MailboxService,
    private readonly connections: ConnectionRegistryService,
    private readonly presence: PresenceService,
    private readonly services: PushProviderRegistryService,
    private readonly push: PushRepository,
    private readonly jobs: JobScheduler,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.mailboxes.onStored((appends) => this.schedule(appends));
  }

  private async schedule(appends: readonly MailboxAppend[]): Promise<void> {
    if (this.services.serviceNames().length === 0) return;
    const candidates = appends.flatMap((append) => this.createCandidates(append));
    if (candidates.length === 0) return;
    const requests = await this.applyPresence(candidates);
    if (requests.length === 0) return;
    const added = await this.push.addRequests(requests);
    if (added > 0) await this.dropExcess(requests);
    const now = this.clock.now();
    if (added > 0 && requests.some(({ dueAt }) => dueAt <= now))
      this.unitOfWork.afterCommit(() => {
        this.jobs.trigger(URGENT_PUSH_DELIVERY_JOB);
        this.jobs.trigger(PUSH_DELIVERY_JOB);
      });
  }

  /** Drops the oldest requests of users with too many. Requests that collapse into one cannot become many. */
  private async dropExcess(requests: readonly NewPushRequest[]): Promise<void> {
    const growing = requests.filter(({ collapseKey }) => collapseKey !== SHARED_COLLAPSE_KEY);
    const userIds = [...new Set(growing.map(({ userId }) => userId))];
    if (userIds.length === 0) return;
    const dropped = await this.push.deleteExcessRequests(userIds, MAX_PENDING_REQUESTS);
    if (dropped > 0) this.unitOfWork.afterCommit(() => DROPPED.inc({ app: 'gateway' }, dropped));
  }

  /**
   * Creates one candidate per collapse key, from the newest message with this key. For a user who is connected to this
   * node, creates only candidates for immediate notifications.
   */
  private createCandidates({ principal, messages }: MailboxAppend): PushCandidate[] {
    if (!principal.startsWith('user:')) return [];
    const isConnected = this.connections.hasConnections(principal);
    const newest = new Map<string, PushCandidate>();
    const now = this.clock.now();
    const userId = principal.slice('user:'.length);
    for (const message of messages) {
      const plan = planPush(message);
      if (!plan || (isConnected && !plan.immediate)) continue;
      const { seq: head, kind, time: messageTime } = message.envelope;
      const dueAt = plan.immediate && !isConnected ? now : now + ACKNOWLEDGEMENT_GRACE_MS;
      const candidate = { ...plan, principal, userId, head, kind, messageTime, subject: message.subject, dueAt };
      newest.set(plan.collapseKey, { ...candidate, expiresAt: now + plan.ttlMs });
    }
    return [...newest.values()];
  }

  /**
   * Drops candidates of users who are connected to other nodes, except immediate ones, which are delayed by the grace
   * period.
   */
  private async applyPresence(candidates: readonly PushCandidate[]): Promise<PushCandidate[]> {
    const notConnectedHere = candidates.filter(({ principal }) => !this.connections.hasConnections(principal));
    const online = await this.presence.filterOnline([...new Set(notConnectedHere.map(({ principal }) => principal))]);
    return candidates.flatMap((candidate) => {
      if (!online.has(candidate.principal)) return [candidate];
      return candidate.immediate ? [{ ...candidate, dueAt: this.clock.now() + ACKNOWLEDGEMENT_GRACE_MS }] : [];
    });
  }
}
