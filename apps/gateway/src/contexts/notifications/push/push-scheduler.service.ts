import { Inject, Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Clock } from '@family-watch/event-bus/clock';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { CLOCK, GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';
import { ConnectionRegistryService } from '../../connections/connection-registry.service.js';
import type { MailboxAppend } from '../../mailbox/mailbox-entry.js';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { PresenceService } from '../../presence/presence.service.js';
import { PUSH_DELIVERY_JOB } from './push-delivery.service.js';
import { ACKNOWLEDGEMENT_GRACE_MS, planPush } from './push-plan.js';
import type { NewPushRequest } from './push-request.repository.js';
import { PushRequestRepository } from './push-request.repository.js';
import { PushProviderRegistryService } from './providers/push-provider-registry.service.js';

/** A push request before the presence of its user is checked, which determines whether and when it is sent. */
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
    private readonly requests: PushRequestRepository,
    private readonly jobs: JobScheduler,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.mailboxes.onBeforeStore((appends) => this.schedule(appends));
  }

  private async schedule(appends: readonly MailboxAppend[]): Promise<void> {
    if (this.services.serviceNames().length === 0) return;
    const candidates = appends.flatMap((append) => this.createCandidates(append));
    if (candidates.length === 0) return;
    const requests = await this.applyPresence(candidates);
    if (requests.length === 0) return;
    const added = await this.requests.add(requests);
    const now = this.clock.now();
    if (added > 0 && requests.some(({ dueAt }) => dueAt <= now))
      this.unitOfWork.afterCommit(() => this.jobs.trigger(PUSH_DELIVERY_JOB));
  }

  /**
   * Creates one candidate per collapse key, from its newest message. For a user who is connected to this node, creates
   * only candidates for immediate notifications.
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
      const { collapseKey, category, urgent, immediate: immediate, ttlMs: ttlMs, centerMessageId } = plan;
      newest.set(collapseKey, {
        principal,
        userId,
        collapseKey,
        category,
        urgent,
        immediate: immediate,
        centerMessageId,
        head: message.envelope.seq,
        kind: message.envelope.kind,
        subject: message.subject,
        dueAt: immediate && !isConnected ? now : now + ACKNOWLEDGEMENT_GRACE_MS,
        expiresAt: now + ttlMs,
      });
    }
    return [...newest.values()];
  }

  /**
   * Drops candidates of users who are connected to other nodes, except immediate ones, which are delayed by the grace
   * period.
   */
  private async applyPresence(candidates: readonly PushCandidate[]): Promise<PushCandidate[]> {
    const away = candidates.filter(({ principal }) => !this.connections.hasConnections(principal));
    const online = await this.presence.filterOnline([...new Set(away.map(({ principal }) => principal))]);
    return candidates.flatMap((candidate) => {
      if (!online.has(candidate.principal)) return [candidate];
      return candidate.immediate ? [{ ...candidate, dueAt: this.clock.now() + ACKNOWLEDGEMENT_GRACE_MS }] : [];
    });
  }
}
