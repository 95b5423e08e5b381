import { Inject, Injectable } from '@nestjs/common';
import type { PubSub, PubSubSubscription } from '@family-watch/event-bus/pub-sub';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { PEER_PUB_SUB } from '../../infrastructure/gateway-infrastructure.js';
import { MailboxReaderService } from '../mailbox/mailbox-reader.service.js';
import { ConnectionRegistryService } from './connection-registry.service.js';

const INTERVAL_MS = 10_000;
const BATCH_SIZE = 2_000;

/**
 * Makes up for lost pub/sub notifications: reads the mailbox heads of connected principals periodically and after each
 * reconnect of pub/sub.
 */
@Injectable()
export class MailboxSweepJob extends PeriodicJob {
  private reconnects: PubSubSubscription | undefined;

  constructor(
    private readonly connections: ConnectionRegistryService,
    private readonly mailboxes: MailboxReaderService,
    @Inject(PEER_PUB_SUB) private readonly pubSub: PubSub,
  ) {
    super(INTERVAL_MS);
  }

  override async start(): Promise<void> {
    await super.start();
    this.reconnects = this.pubSub.onReconnect(() => void this.runSafely());
  }

  override async stop(): Promise<void> {
    this.reconnects?.close();
    await super.stop();
  }

  async run(): Promise<void> {
    const principals = this.connections.principals();
    for (let start = 0; start < principals.length; start += BATCH_SIZE) {
      const heads = await this.mailboxes.findHeads(principals.slice(start, start + BATCH_SIZE));
      for (const { principal, head } of heads) this.connections.notifyHead(principal, head);
    }
  }
}
