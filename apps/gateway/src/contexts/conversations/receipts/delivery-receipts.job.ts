import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { CHAT_KIND } from '@family-watch/domain/messages/contracts/chat';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { mergeDeliveryAcks } from '../../../protocol/delivery-ack-tracker.js';
import type { DeliveryAck } from '../../../protocol/delivery-ack-tracker.js';
import { AcknowledgementsService } from '../../mailbox/acknowledgements.service.js';
import { ReceiptRepository } from './receipt.repository.js';
import { ReceiptsService } from './receipts.service.js';

/** Acknowledgements are collected for so long before receipts are made of them. */
const PAUSE_MS = 1_000;
/** Between two looks at what another node has left behind. */
const SWEEP_MS = 5 * 60_000;
const MAX_ARRIVALS = 100;
const MAX_OUTSTANDING = 10_000;
const CHAT_KINDS = Object.values(CHAT_KIND);

/**
 * Makes receipts of acknowledgements, away from the path of both. What a node that ended had collected is found again
 * by comparing the sessions' cursors with how far receipts were given.
 */
@Injectable()
export class DeliveryReceiptsJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(DeliveryReceiptsJob.name);
  private readonly waiting = new Map<PrincipalKey, DeliveryAck>();
  private round: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private sweepTimer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    acknowledgements: AcknowledgementsService,
    private readonly receipts: ReceiptsService,
    private readonly marks: ReceiptRepository,
  ) {
    acknowledgements.onAcknowledged((arrival) => this.add(arrival));
    acknowledgements.onRead(CHAT_KINDS, (caller, message) => this.receipts.markReadByAck(caller, message));
  }

  onApplicationBootstrap(): void {
    void this.sweep();
    this.sweepTimer = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.sweepTimer);
    clearTimeout(this.timer);
    await this.round;
  }

  private add(arrival: DeliveryAck): void {
    this.keep(arrival);
    if (this.timer !== undefined || this.stopped) return;
    this.timer = setTimeout(() => {
      this.round = this.run().finally(() => this.afterRound());
    }, PAUSE_MS);
    this.timer.unref();
  }

  private afterRound(): void {
    this.timer = undefined;
    const [next] = this.waiting.values();
    if (next) this.add(next);
  }

  private keep(arrival: DeliveryAck): void {
    const { principal } = arrival;
    const before = this.waiting.get(principal);
    this.waiting.set(principal, before && before !== arrival ? mergeDeliveryAcks(before, arrival) : arrival);
  }

  private async run(): Promise<void> {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (let done = 0; done < all.length; done += MAX_ARRIVALS) {
      await this.deliver(all.slice(done, done + MAX_ARRIVALS));
    }
  }

  private async deliver(arrivals: readonly DeliveryAck[]): Promise<void> {
    try {
      await this.receipts.sendDeliveryReceipts(arrivals);
    } catch (error) {
      this.logger.warn({ msg: 'Delivery receipts failed', receipts: arrivals.length, err: error });
      for (const arrival of arrivals) this.keep(arrival);
    }
  }

  private async sweep(): Promise<void> {
    try {
      const outstanding = await this.marks.findPending(MAX_OUTSTANDING);
      for (const arrival of outstanding) this.add(arrival);
    } catch (error) {
      this.logger.warn({ msg: 'Query for pending delivery receipts failed', err: error });
    }
  }
}
