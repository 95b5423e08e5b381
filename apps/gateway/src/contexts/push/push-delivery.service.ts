import { Inject, Injectable } from '@nestjs/common';
import type { PushContent } from '@family-watch/domain/messages/contracts/push';
import { DEFAULT_SUBSCRIPTION } from '@family-watch/domain/messages/contracts/subscription';
import type { Subscription } from '@family-watch/domain/messages/contracts/subscription';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { ConnectedFamiliesService } from '../families/connected-families.service.js';
import { isQuiet } from '../message-center/quiet-hours.js';
import { SubscriptionService } from '../message-center/subscription.service.js';
import { UrgentAlertsService } from '../message-center/urgent-alerts.service.js';
import { collapseTopic } from './push-plan.js';
import { PushRequestRepository } from './push-request.repository.js';
import type { ClaimedPushRequest } from './push-request.repository.js';
import { PushTokenRepository } from './push-token.repository.js';
import type { PushToken } from './push-token.repository.js';
import { PUSH_OUTCOME } from './providers/push-provider.js';
import type { PushMessage, PushOutcome } from './providers/push-provider.js';
import { PushProviderRegistryService } from './providers/push-provider-registry.service.js';

const REQUESTS_AT_ONCE = 50;
/** Longer than all providers may take; a node that dies meanwhile delays its requests by as much. Milliseconds. */
const CLAIM_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10 * 60_000;

/** Sends notifications that are due, unless a device has taken the message, or they are not wanted any more. */
@Injectable()
export class PushDeliveryService {
  constructor(
    private readonly requests: PushRequestRepository,
    private readonly tokens: PushTokenRepository,
    private readonly services: PushProviderRegistryService,
    private readonly subscriptions: SubscriptionService,
    private readonly families: ConnectedFamiliesService,
    private readonly alerts: UrgentAlertsService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Sends what no other node sends; returns how many requests it took. */
  async sendDue(): Promise<number> {
    const now = this.clock.now();
    const claimed = await this.requests.claim(now, now + CLAIM_MS, REQUESTS_AT_ONCE);
    if (claimed.length === 0) return 0;
    const userIds = [...new Set(claimed.map(({ userId }) => userId))];
    const subscriptions = await this.subscriptions.findAll(userIds);
    const tokens = Map.groupBy(await this.tokens.findByUsers(userIds), ({ userId }) => userId);
    const results = await Promise.all(
      claimed.map(async (request) => {
        const { userId } = request;
        const wanted = await this.isWanted(request, subscriptions.get(userId) ?? DEFAULT_SUBSCRIPTION);
        return { request, over: !wanted || (await this.send(request, tokens.get(userId) ?? [])) };
      }),
    );
    await this.requests.complete(results.flatMap(({ request, over }) => (over ? [request] : [])));
    return claimed.length;
  }

  private async isWanted(request: ClaimedPushRequest, { quietHours }: Subscription): Promise<boolean> {
    const { acknowledged, head, expiresAt, urgent, userId, subject } = request;
    const now = this.clock.now();
    if (acknowledged >= head || expiresAt <= now) return false;
    if (quietHours && !urgent && isQuiet(quietHours, now)) return false;
    return this.families.isAllowed(`user:${userId}`, subject);
  }

  /** Resolves with whether the request is over; otherwise it is tried again. */
  private async send(request: ClaimedPushRequest, tokens: readonly PushToken[]): Promise<boolean> {
    const message = this.messageOf(request);
    const results = await Promise.all(
      tokens
        .filter(({ tokenId }) => !request.delivered.includes(tokenId))
        .map(async (token) => ({ token, outcome: await this.sendTo(token, message) })),
    );
    const idsWith = (wanted: PushOutcome) =>
      results.flatMap(({ token, outcome }) => (outcome === wanted ? [token.tokenId] : []));
    const dead = idsWith(PUSH_OUTCOME.TOKEN_DEAD);
    if (dead.length > 0) await this.tokens.deleteInvalid(dead);
    const delivered = idsWith(PUSH_OUTCOME.DELIVERED_TO_PROVIDER);
    const { userId, centerMessageId } = request;
    if (delivered.length > 0 && centerMessageId) await this.alerts.recordPushAccepted(userId, centerMessageId);
    if (idsWith(PUSH_OUTCOME.TRY_LATER).length === 0) return true;
    request.delivered.push(...delivered);
    return this.postpone(request);
  }

  private sendTo({ service, token, keys }: PushToken, message: PushMessage): Promise<PushOutcome> {
    // A service that is no longer configured may be again: the token is kept.
    const provider = this.services.find(service);
    return provider ? provider.send({ token, keys }, message) : Promise.resolve(PUSH_OUTCOME.TRY_LATER);
  }

  /** Resolves with true when there will be no more time. */
  private async postpone(request: ClaimedPushRequest): Promise<boolean> {
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** request.attempts, LONGEST_PAUSE_MS);
    const dueAt = this.clock.now() + longest / 2 + Math.floor((Math.random() * longest) / 2);
    if (dueAt >= request.expiresAt) return true;
    await this.requests.reschedule(request, Math.floor(dueAt));
    return false;
  }

  /** No content: what happened is asked for by the app, with its own token. */
  private messageOf({
    kind,
    category,
    subject,
    urgent,
    userId,
    collapseKey,
    expiresAt,
  }: ClaimedPushRequest): PushMessage {
    const note: PushContent = { kind, category, ...(subject.cid === null ? {} : { cid: subject.cid }) };
    const ttl = Math.max(1, Math.ceil((expiresAt - this.clock.now()) / 1_000));
    const hurried = urgent || category === 'CALL' || category === 'FENCE';
    return { note, ttl, urgent: hurried, topic: collapseTopic(userId, collapseKey) };
  }
}
