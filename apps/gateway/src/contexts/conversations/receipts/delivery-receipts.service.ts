import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { CHAT_KIND } from '@family-watch/domain/messages/contracts/chat';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { mergeDeliveryAcks } from '../../mailbox/delivery-ack-tracker.js';
import type { DeliveryAck } from '../../mailbox/delivery-ack-tracker.js';
import { AcknowledgementsService } from '../../mailbox/acknowledgements.service.js';
import { ReceiptRepository } from './receipt.repository.js';
import { ReceiptsService } from './receipts.service.js';

/** Milliseconds for which acknowledgements are collected before their receipts are sent. */
const COLLECTION_PERIOD_MS = 1_000;
const BATCH_SIZE = 100;
const MAX_PENDING_ACKS = 10_000;
const CHAT_KINDS = Object.values(CHAT_KIND);

/**
 * Sends delivery receipts for acknowledgements. No client request waits for a receipt. If a node stops before it has
 * sent receipts, another node finds the missing receipts by comparing the sessions' cursors with the receipt cursors.
 */
@Injectable()
export class DeliveryReceiptsService implements OnApplicationShutdown {
  private readonly logger = new Logger(DeliveryReceiptsService.name);
  private readonly pendingAcks = new Map<PrincipalKey, DeliveryAck>();
  private currentRun: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    acknowledgements: AcknowledgementsService,
    private readonly receipts: ReceiptsService,
    private readonly receiptCursors: ReceiptRepository,
  ) {
    acknowledgements.onAcknowledged((ack) => this.add(ack));
    acknowledgements.onRead(CHAT_KINDS, (caller, message) => this.receipts.markReadByAck(caller, message));
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.currentRun;
  }

  /** Finds the receipts that a stopped node has not sent. */
  @OnJob('gateway.conversations.find-pending-receipts', { intervalMs: 5 * 60_000, runsAtStart: true })
  async findPending(): Promise<void> {
    for (const ack of await this.receiptCursors.findPending(MAX_PENDING_ACKS)) this.add(ack);
  }

  private add(ack: DeliveryAck): void {
    this.merge(ack);
    if (this.timer !== undefined || this.isStopped) return;
    this.timer = setTimeout(() => {
      this.currentRun = this.run().finally(() => this.afterRun());
    }, COLLECTION_PERIOD_MS);
    this.timer.unref();
  }

  private afterRun(): void {
    this.timer = undefined;
    const [next] = this.pendingAcks.values();
    if (next) this.add(next);
  }

  private merge(ack: DeliveryAck): void {
    const { principal } = ack;
    const pending = this.pendingAcks.get(principal);
    this.pendingAcks.set(principal, pending && pending !== ack ? mergeDeliveryAcks(pending, ack) : ack);
  }

  private async run(): Promise<void> {
    const all = [...this.pendingAcks.values()];
    this.pendingAcks.clear();
    for (let done = 0; done < all.length; done += BATCH_SIZE) {
      await this.deliver(all.slice(done, done + BATCH_SIZE));
    }
  }

  private async deliver(acks: readonly DeliveryAck[]): Promise<void> {
    try {
      await this.receipts.sendDeliveryReceipts(acks);
    } catch (error) {
      this.logger.warn({ msg: 'Delivery receipts failed', receipts: acks.length, err: error });
      for (const ack of acks) this.merge(ack);
    }
  }
}
