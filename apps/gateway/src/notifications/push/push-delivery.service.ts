import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import {
  DEFAULT_SUBSCRIPTION,
  type PushContent,
  type Subscription,
} from '@family-watch/domain/messages/contracts/subscription';
import { PushRequestEntity, type PushTokenEntity } from '@family-watch/domain/messages/entities/push.entities';
import type { Clock } from '@family-watch/event-bus/clock';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { ConcurrentRows } from '@family-watch/platform/jobs/process-rows';
import { counter, histogram } from '@family-watch/platform/observability/instruments';
import { CircuitBreaker } from '@family-watch/platform/concurrency/circuit-breaker';
import { entryLimit } from '@family-watch/platform/concurrency/entry-limit';
import { CLOCK } from '../../infrastructure/gateway-infrastructure.js';
import { ConnectedFamiliesService } from '../../projections/connected-families.service.js';
import { UrgentAlertsService } from '../message-center/urgent-alerts.service.js';
import { isQuiet, SubscriptionService } from '../subscriptions/subscription.service.js';
import { PushProviderRegistryService } from './providers/push-provider-registry.service.js';
import {
  PUSH_OUTCOME,
  PUSH_TIMEOUT_MS,
  type PushMessage,
  type PushOutcome,
  type PushProvider,
} from './providers/push-provider.js';
import { collapseTopic, PUSH_DELIVERY_JOB, URGENT_PUSH_DELIVERY_JOB } from './push-scheduler.service.js';
import { PushRepository, type ClaimedPushRequest, type PushLane } from './push.repository.js';

/** Requests of a lane that a process sends at the same time, each of another person. */
const MAX_RUNNING_REQUESTS = 64;
/** Devices of one person to which a request is sent at the same time. */
const MAX_RUNNING_PER_REQUEST = 4;
/**
 * Milliseconds after which another node may claim the same request: longer than a person's ten devices may take. If a
 * node crashes, the requests that it has claimed are delayed by this time.
 */
const CLAIM_DURATION_MS = 30_000;
/** Milliseconds after which a provider counts as silent although its library has not noticed it. */
const DEADLINE_MS = PUSH_TIMEOUT_MS + 500;
const MIN_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 10 * 60_000;
/** An endpoint of Web Push, whose address a person chose, is paused when it failed so often in a row; not for an SOS. */
const ENDPOINT_CIRCUIT = { maxFailures: 3, pauseMs: 30_000, maxPauseMs: MAX_BACKOFF_MS, maxConcurrent: Infinity };
/**
 * A host that did not respond to so many persons in a row is paused for requests that are not urgent. All browsers share
 * a few hosts, so the silent endpoints of one person are no evidence against the host, and any response is evidence for
 * it.
 */
const HOST_CIRCUIT = { maxFailures: 5, pauseMs: 10_000, maxConcurrent: Infinity };
/** Number of endpoints and of hosts whose failures are remembered. */
const MAX_CIRCUITS = 10_000;

const ATTEMPTS = counter('push_attempts_total', 'Attempts to send a notification to a device.', [
  'app',
  'service',
  'outcome',
]);
const PAUSES = counter('push_pauses_total', 'Pauses of endpoints and hosts that failed repeatedly.', ['app', 'scope']);
const DELAY = histogram('push_delay_seconds', 'Time from when a notification was due until its sending began.', [
  'app',
  'lane',
]);

/** Outcome of an attempt; `PAUSED` if none was made, because endpoint or host have failed repeatedly. */
type AttemptOutcome = PushOutcome | 'PAUSED';

interface Attempt {
  token: PushTokenEntity;
  outcome: AttemptOutcome;
}

/** Lets a circuit breaker count an attempt as failed. */
class FailedAttempt extends Error {
  constructor(readonly outcome: PushOutcome) {
    super('The push service has not accepted the notification');
  }
}

/**
 * Sends due notifications, unless a device has acknowledged the message, the request has expired or the user may no
 * longer see the message. Requests are sent independently of each other: a person chooses the addresses of Web Push, so
 * no request may wait for another person's address, and an SOS has a lane of its own.
 */
@Injectable()
export class PushDeliveryService implements OnModuleDestroy {
  private readonly logger = new Logger(PushDeliveryService.name);
  private readonly lanes = { urgent: this.createLane('urgent'), other: this.createLane('other') } as const;
  /** Circuits of the endpoints whose last attempt failed, by the digest of the token. */
  private readonly endpoints = new LRUCache<string, CircuitBreaker>(entryLimit(MAX_CIRCUITS));
  private readonly hosts = new LRUCache<string, CircuitBreaker>(entryLimit(MAX_CIRCUITS));

  constructor(
    private readonly push: PushRepository,
    private readonly services: PushProviderRegistryService,
    private readonly subscriptions: SubscriptionService,
    private readonly families: ConnectedFamiliesService,
    private readonly alerts: UrgentAlertsService,
    private readonly jobs: JobScheduler,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  // Each lane has a job, because a job waits until its rows are claimed, which takes long while many are due.

  /** Starts to send due urgent requests, until all places are occupied. Does not wait for their outcome. */
  @OnJob(URGENT_PUSH_DELIVERY_JOB, { intervalMs: 500, queue: { entity: PushRequestEntity, dueAt: 'dueAt' } })
  sendDueUrgentRequests(): Promise<void> {
    return this.lanes.urgent.startDue();
  }

  /** Like {@link sendDueUrgentRequests} for all other requests. */
  @OnJob(PUSH_DELIVERY_JOB, { intervalMs: 500, queue: { entity: PushRequestEntity, dueAt: 'dueAt' } })
  sendDueRequests(): Promise<void> {
    return this.lanes.other.startDue();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.lanes.urgent.stop(), this.lanes.other.stop()]);
  }

  private createLane(lane: PushLane): ConcurrentRows<ClaimedPushRequest> {
    return new ConcurrentRows({
      maxRunning: MAX_RUNNING_REQUESTS,
      claim: async (limit, exceptUserIds) => {
        const now = this.clock.now();
        const claimed = await this.push.claimRequests(lane, {
          now,
          until: now + CLAIM_DURATION_MS,
          limit,
          exceptUserIds,
        });
        for (const { dueAt } of claimed) DELAY.observe({ app: 'gateway', lane }, (now - dueAt) / 1_000);
        return claimed;
      },
      keyOf: ({ userId }) => userId,
      process: (request) => this.processRequest(request),
      // The request is claimed again when the claim has expired.
      onFailure: ({ kind }, err) => this.logger.error({ msg: 'Push request could not be processed', kind, err }),
      onFree: () => this.jobs.trigger(lane === 'urgent' ? URGENT_PUSH_DELIVERY_JOB : PUSH_DELIVERY_JOB),
    });
  }

  private async processRequest(request: ClaimedPushRequest): Promise<void> {
    const { userId } = request;
    const subscription = (await this.subscriptions.findAll([userId])).get(userId) ?? DEFAULT_SUBSCRIPTION;
    const decision = await this.decideDelivery(request, subscription);
    const retryAt = { send: () => this.send(request), drop: () => null, postpone: () => this.clock.now() };
    const earliest = await retryAt[decision]();
    if (earliest === null || !(await this.scheduleRetry(request, earliest))) await this.push.completeRequest(request);
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
   * Sends one notification to the devices of its user. Resolves with null if the request is complete, and otherwise with
   * the time from which a retry may succeed.
   */
  private async send(request: ClaimedPushRequest): Promise<number | null> {
    const attempts = await this.sendToDevices(request);
    const tokenIdsWith = (expected: PushOutcome) =>
      attempts.flatMap(({ token, outcome }) => (outcome === expected ? [token.tokenId] : []));
    const invalid = tokenIdsWith(PUSH_OUTCOME.TOKEN_INVALID);
    if (invalid.length > 0) await this.push.deleteTokens(invalid);
    const delivered = tokenIdsWith(PUSH_OUTCOME.DELIVERED_TO_PROVIDER);
    const { userId, centerMessageId } = request;
    if (delivered.length > 0 && centerMessageId) await this.alerts.recordPushAccepted(userId, centerMessageId);
    const rejected = tokenIdsWith(PUSH_OUTCOME.REJECTED);
    const remaining = attempts.filter(({ token }) => ![...invalid, ...delivered, ...rejected].includes(token.tokenId));
    if (remaining.length === 0) return null;
    request.delivered.push(...delivered, ...rejected);
    return Math.min(...remaining.map(({ token }) => this.findPauseEnd(token, request)));
  }

  /** Sends to a few devices at a time. Devices whose last attempt failed are last, because they may take long. */
  private async sendToDevices(request: ClaimedPushRequest): Promise<Attempt[]> {
    const message = this.toPushMessage(request);
    const tokens = (await this.push.findTokens(request.userId)).filter(
      ({ tokenId }) => !request.delivered.includes(tokenId),
    );
    const failed = (token: PushTokenEntity) => Number(this.endpoints.has(keyOf(token)));
    const waiting = tokens.toSorted((one, other) => failed(one) - failed(other)).values();
    const attempts: Attempt[] = [];
    const sendNext = async () => {
      for (const token of waiting) attempts.push({ token, outcome: await this.sendTo(token, request, message) });
    };
    await Promise.all(Array.from({ length: MAX_RUNNING_PER_REQUEST }, sendNext));
    return attempts;
  }

  private async sendTo(
    token: PushTokenEntity,
    { userId, urgent }: ClaimedPushRequest,
    message: PushMessage,
  ): Promise<AttemptOutcome> {
    const provider = this.services.find(token.service);
    // The token of a push service that is not configured is kept, because the service may be configured again later.
    if (!provider) return PUSH_OUTCOME.TRY_LATER;
    const host = this.circuitOfHost(token);
    if (!urgent && !host.isAccepting) return 'PAUSED';
    const endpoint = this.circuitOfEndpoint(token);
    const attempt = async () => {
      const send = () => sendWithinDeadline(provider, token, message);
      const outcome = await host.run(send, { caller: userId, isForced: true });
      if (outcome === PUSH_OUTCOME.TRY_LATER) throw new FailedAttempt(outcome);
      return outcome;
    };
    try {
      const outcome = await endpoint.run(attempt, { isForced: urgent || token.service !== 'WEB_PUSH' });
      if (outcome === undefined) return 'PAUSED';
      this.endpoints.delete(keyOf(token));
      return this.count(token, outcome);
    } catch (error) {
      if (!(error instanceof FailedAttempt)) throw error;
      this.endpoints.set(keyOf(token), endpoint);
      return this.count(token, error.outcome);
    }
  }

  private findPauseEnd(token: PushTokenEntity, { urgent }: ClaimedPushRequest): number {
    if (urgent) return 0;
    const ofEndpoint = token.service === 'WEB_PUSH' ? (this.endpoints.get(keyOf(token))?.openUntil ?? 0) : 0;
    return Math.max(ofEndpoint, this.circuitOfHost(token).openUntil);
  }

  private count({ service }: PushTokenEntity, outcome: PushOutcome): PushOutcome {
    ATTEMPTS.inc({ app: 'gateway', service, outcome });
    return outcome;
  }

  private circuitOfEndpoint(token: PushTokenEntity): CircuitBreaker {
    const { tokenId, service } = token;
    return this.endpoints.get(keyOf(token)) ?? this.createCircuit(ENDPOINT_CIRCUIT, 'endpoint', { tokenId, service });
  }

  private circuitOfHost({ service, token }: PushTokenEntity): CircuitBreaker {
    const host = service === 'WEB_PUSH' && URL.canParse(token) ? new URL(token).host : service;
    const circuit = this.hosts.get(host) ?? this.createCircuit(HOST_CIRCUIT, 'host', { host, service });
    this.hosts.set(host, circuit);
    return circuit;
  }

  private createCircuit(
    options: typeof ENDPOINT_CIRCUIT | typeof HOST_CIRCUIT,
    scope: 'endpoint' | 'host',
    fields: object,
  ): CircuitBreaker {
    const onChange = (isOpen: boolean) => {
      if (isOpen) PAUSES.inc({ app: 'gateway', scope });
      this.logger.log({
        msg: isOpen ? 'Push paused after failures' : 'Push continues after failures',
        scope,
        ...fields,
      });
    };
    return new CircuitBreaker({ ...options, onChange }, () => this.clock.now());
  }

  /**
   * Schedules a retry with backoff, not before `earliest`. Resolves with false when the request expires before the
   * retry.
   */
  private async scheduleRetry(request: ClaimedPushRequest, earliest: number): Promise<boolean> {
    const backoff = Math.min(MIN_BACKOFF_MS * 2 ** request.attempts, MAX_BACKOFF_MS);
    const retryAt = this.clock.now() + backoff / 2 + (Math.random() * backoff) / 2;
    const dueAt = Math.floor(Math.max(retryAt, earliest));
    if (dueAt >= request.expiresAt) return false;
    await this.push.rescheduleRequest(request, dueAt);
    return true;
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

/** @throws FailedAttempt if the push service does not respond in time */
async function sendWithinDeadline(
  provider: PushProvider,
  token: PushTokenEntity,
  message: PushMessage,
): Promise<PushOutcome> {
  const deadline = new AbortController();
  try {
    const outcome = await Promise.race([
      provider.send(token, message),
      sleep(DEADLINE_MS, PUSH_OUTCOME.NO_RESPONSE, { signal: deadline.signal }),
    ]);
    if (outcome === PUSH_OUTCOME.NO_RESPONSE) throw new FailedAttempt(outcome);
    return outcome;
  } finally {
    deadline.abort();
  }
}

/** A token keeps its digest when it is registered again. */
function keyOf({ digest }: PushTokenEntity): string {
  return digest.toString('base64');
}
