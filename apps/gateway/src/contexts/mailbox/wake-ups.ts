import { Inject, Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/envelope';
import type { Signals, SignalSubscription } from '@family-watch/event-bus/signals';
import { SIGNALS } from '../../infrastructure/gateway.tokens.js';
import type { DeliverySubject } from '../../protocol/delivery-access.js';
import type { MailboxHead } from './mailbox.repository.js';

/** A newest value on its way to whoever is connected; the next one makes up for a lost one. */
export interface LatestValue {
  /** What it is the newest value of. */
  key: string;
  subject: DeliverySubject;
  message: MessageEnvelope;
}

/** What the nodes that hold a principal are told: how far its mailbox reaches, or a newest value. */
export type Wake = { head: number } | { latest: LatestValue };

/**
 * Tells the nodes that hold a principal, at most once. A lost wake-up of a mailbox is repaired by the next range
 * or by the sweep of held principals; nothing is ever delivered because of what a wake-up says of a mailbox.
 */
@Injectable()
export class WakeUps {
  constructor(@Inject(SIGNALS) private readonly signals: Signals) {}

  announceHeads(heads: readonly MailboxHead[]): void {
    for (const { principal, head } of heads) this.announce(principal, { head });
  }

  announceLatest(recipients: readonly PrincipalKey[], latest: LatestValue): void {
    for (const recipient of recipients) this.announce(recipient, { latest });
  }

  listen(principal: PrincipalKey, listener: (wake: Wake) => void): SignalSubscription {
    return this.signals.subscribe(subjectOf(principal), (data) => listener(data as Wake));
  }

  private announce(principal: PrincipalKey, wake: Wake): void {
    this.signals.publish(subjectOf(principal), wake);
  }
}

/** Ids come from tokens and databases of our own, but a subject must never hold a separator. */
function subjectOf(principal: PrincipalKey): string {
  return `gateway.mailbox.${encodeURIComponent(principal).replace(/[.*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)}`;
}
