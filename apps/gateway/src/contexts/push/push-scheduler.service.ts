import { Inject, Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { ConnectionRegistryService } from '../connections/connection-registry.service.js';
import type { MailboxAppend } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';
import { PresenceService } from '../presence/presence.service.js';
import { PushDeliveryJob } from './push-delivery.job.js';
import { DEVICE_PICKUP_GRACE_MS, planPush } from './push-plan.js';
import type { NewPushRequest } from './push-request.repository.js';
import { PushRequestRepository } from './push-request.repository.js';
import { PushProviderRegistryService } from './providers/push-provider-registry.service.js';

/** A message that a person is to be notified of. */
interface Notifiable extends NewPushRequest {
  principal: PrincipalKey;
  atOnce: boolean;
}

/**
 * Looks at what is stored in mailboxes, and asks for notifications in the same unit of work. A batch for people who
 * are all connected to this node costs no statement, unless it holds something that cannot wait: a connection may be
 * dead without anybody knowing, so a call or an alert is pushed if it was not acknowledged within the grace.
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
    private readonly delivery: PushDeliveryJob,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.mailboxes.onBeforeStore((growths) => this.take(growths));
  }

  private async take(growths: readonly MailboxAppend[]): Promise<void> {
    if (this.services.names().length === 0) return;
    const notifiable = growths.flatMap((growth) => this.notifiableOf(growth));
    if (notifiable.length === 0) return;
    const wanted = await this.afterPresence(notifiable);
    if (wanted.length === 0) return;
    const added = await this.requests.add(wanted);
    const now = this.clock.now();
    if (added > 0 && wanted.some(({ dueAt }) => dueAt <= now))
      this.unitOfWork.afterCommit(() => this.delivery.trigger());
  }

  /** The newest message per key, which stands for all of them; of somebody who is here, only what cannot wait. */
  private notifiableOf({ principal, messages }: MailboxAppend): Notifiable[] {
    if (!principal.startsWith('user:')) return [];
    const isHere = this.connections.hasConnections(principal);
    const newest = new Map<string, Notifiable>();
    const now = this.clock.now();
    const userId = principal.slice('user:'.length);
    for (const message of messages) {
      const plan = planPush(message);
      if (!plan || (isHere && !plan.atOnce)) continue;
      const { collapseKey, category, urgent, atOnce, lifetime, centerMessageId } = plan;
      newest.set(collapseKey, {
        principal,
        userId,
        collapseKey,
        category,
        urgent,
        atOnce,
        centerMessageId,
        head: message.envelope.seq,
        kind: message.envelope.kind,
        subject: message.subject,
        dueAt: atOnce && !isHere ? now : now + DEVICE_PICKUP_GRACE_MS,
        expiresAt: now + lifetime,
      });
    }
    return [...newest.values()];
  }

  /** The same for those who are connected to other nodes. */
  private async afterPresence(notifiable: readonly Notifiable[]): Promise<Notifiable[]> {
    const away = notifiable.filter(({ principal }) => !this.connections.hasConnections(principal));
    const online = await this.presence.filterOnline([...new Set(away.map(({ principal }) => principal))]);
    return notifiable.flatMap((each) => {
      if (!online.has(each.principal)) return [each];
      return each.atOnce ? [{ ...each, dueAt: this.clock.now() + DEVICE_PICKUP_GRACE_MS }] : [];
    });
  }
}
