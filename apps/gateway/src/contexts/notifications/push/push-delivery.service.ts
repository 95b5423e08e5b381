import { Inject, Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { DEFAULT_SUBSCRIPTION } from '@family-watch/domain/messages/contracts/subscription';
import type { PushContent, Subscription } from '@family-watch/domain/messages/contracts/subscription';
import { PushRequestEntity } from '@family-watch/domain/messages/entities/push.entities';
import type { Clock } from '@family-watch/event-bus/clock';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { CLOCK } from '../../../infrastructure/gateway-infrastructure.js';
import { ConnectedFamiliesService } from '../../projections/connected-families.service.js';
import { UrgentAlertsService } from '../message-center/urgent-alerts.service.js';
import { isQuiet, SubscriptionService } from '../subscriptions/subscription.service.js';
import { PushProviderRegistryService } from './providers/push-provider-registry.service.js';
import { PUSH_OUTCOME } from './providers/push-provider.js';
import type { PushMessage, PushOutcome } from './providers/push-provider.js';
import { collapseTopic, PUSH_DELIVERY_JOB } from './push-scheduler.service.js';
import { PushRepository } from './push.repository.js';
import type { ClaimedPushRequest, PushToken } from './push.repository.js';

const REQUEST_BATCH_SIZE = 50;
/**
 * Milliseconds after which another node may claim the same requests: longer than all providers may take together for
 * one batch. If a node crashes, the requests that it has claimed are delayed by this time.
 */
const CLAIM_DURATION_MS = 60_000;
const MIN_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 10 * 60_000;

/**
 * Sends due notifications, unless a device has acknowledged the message, the request has expired or the user may no
 * longer see the message.
 */
@Injectable()
export class PushDeliveryService {
  constructor(
    private readonly push: PushRepository,
    private readonly services: PushProviderRegistryService,
    private readonly subscriptions: SubscriptionService,
    private readonly families: ConnectedFamiliesService,
    private readonly alerts: UrgentAlertsService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Sends all due requests. */
  @OnJob(PUSH_DELIVERY_JOB, { intervalMs: 500, queue: { entity: PushRequestEntity, dueAt: 'dueAt' } })
  async sendDueRequests(_now?: number, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await this.sendDueBatch()) > 0);
  }

  /** Claims a batch of due requests and sends them; returns the size of the batch. */
  private async sendDueBatch(): Promise<number> {
    const now = this.clock.now();
    const claimed = await this.push.claimRequests(now, now + CLAIM_DURATION_MS, REQUEST_BATCH_SIZE);
    if (claimed.length === 0) return 0;
    const userIds = [...new Set(claimed.map(({ userId }) => userId))];
    const subscriptions = await this.subscriptions.findAll(userIds);
    const tokens = Map.groupBy(await this.push.findTokens(userIds), ({ userId }) => userId);
    const results = await Promise.all(
      claimed.map(async (request) => {
        const { userId } = request;
        const decision = await this.decideDelivery(request, subscriptions.get(userId) ?? DEFAULT_SUBSCRIPTION);
        if (decision === 'postpone') return { request, isComplete: await this.scheduleRetry(request) };
        return { request, isComplete: decision === 'drop' || (await this.send(request, tokens.get(userId) ?? [])) };
      }),
    );
    await this.push.completeRequests(results.flatMap(({ request, isComplete }) => (isComplete ? [request] : [])));
    return claimed.length;
  }

  /** Decides whether to send a request; postpones the request while the projection of the family may be outdated. */
  private async decideDelivery(
    request: ClaimedPushRequest,
    { quietHours }: Subscription,
  ): Promise<'send' | 'drop' | 'postpone'> {
    const { acknowledged, head, expiresAt, urgent, userId, subject } = request;
    const now = this.clock.now();
    if (acknowledged >= head || expiresAt <= now) return 'drop';
    if (quietHours && !urgent && isQuiet(quietHours, now)) return 'drop';
    try {
      return (await this.families.isAllowed(`user:${userId}`, subject)) ? 'send' : 'drop';
    } catch (error) {
      if (error instanceof ServiceError) return 'postpone';
      throw error;
    }
  }

  /**
   * Sends one notification to the tokens of its user. Resolves with true if the request is complete, and with false if
   * it must be retried.
   */
  private async send(request: ClaimedPushRequest, tokens: readonly PushToken[]): Promise<boolean> {
    const message = this.toPushMessage(request);
    const results = await Promise.all(
      tokens
        .filter(({ tokenId }) => !request.delivered.includes(tokenId))
        .map(async (token) => ({ token, outcome: await this.sendTo(token, message) })),
    );
    const tokenIdsWith = (expected: PushOutcome) =>
      results.flatMap(({ token, outcome }) => (outcome === expected ? [token.tokenId] : []));
    const invalid = tokenIdsWith(PUSH_OUTCOME.TOKEN_INVALID);
    if (invalid.length > 0) await this.push.deleteTokens(invalid);
    const delivered = tokenIdsWith(PUSH_OUTCOME.DELIVERED_TO_PROVIDER);
    const { userId, centerMessageId } = request;
    if (delivered.length > 0 && centerMessageId) await this.alerts.recordPushAccepted(userId, centerMessageId);
    if (tokenIdsWith(PUSH_OUTCOME.TRY_LATER).length === 0) return true;
    request.delivered.push(...delivered);
    return this.scheduleRetry(request);
  }

  private sendTo({ service, token, keys }: PushToken, message: PushMessage): Promise<PushOutcome> {
    // The token of a push service that is not configured is kept, because the service may be configured again later.
    const provider = this.services.find(service);
    return provider ? provider.send({ token, keys }, message) : Promise.resolve(PUSH_OUTCOME.TRY_LATER);
  }

  /** Schedules a retry with backoff. Resolves with true when the request expires before the retry. */
  private async scheduleRetry(request: ClaimedPushRequest): Promise<boolean> {
    const backoff = Math.min(MIN_BACKOFF_MS * 2 ** request.attempts, MAX_BACKOFF_MS);
    const dueAt = this.clock.now() + backoff / 2 + Math.floor((Math.random() * backoff) / 2);
    if (dueAt >= request.expiresAt) return true;
    await this.push.rescheduleRequest(request, Math.floor(dueAt));
    return false;
  }

  /** Creates a notification without message content: the app requests the content with its own access token. */
  private toPushMessage({
    kind,
    category,
    subject,
    urgent,
    userId,
    collapseKey,
    expiresAt,
  }: ClaimedPushRequest): PushMessage {
    const content: PushContent = { kind, category, ...(subject.cid === null ? {} : { cid: subject.cid }) };
    const ttl = Math.max(1, Math.ceil((expiresAt - this.clock.now()) / 1_000));
    const isHighPriority = urgent || category === 'CALL' || category === 'FENCE';
    return { content, ttl, urgent: isHighPriority, topic: collapseTopic(userId, collapseKey) };
  }
}
