import { Inject, Injectable } from '@nestjs/common';
import type { PubSub, PubSubSubscription } from '@family-watch/event-bus/pub-sub';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { PEER_PUB_SUB } from '../../infrastructure/gateway.tokens.js';
import { MailboxReaderService } from '../mailbox/mailbox-reader.service.js';
import { ConnectionRegistryService } from './connection-registry.service.js';

const SWEEP_MS = 10_000;
const PRINCIPALS_AT_ONCE = 2_000;

/** Repairs lost wake-ups: looks how far the mailboxes of connected principals reach, slowly and after each gap. */
@Injectable()
export class MailboxSweepJob extends PeriodicJob {
  private reconnects: PubSubSubscription | undefined;

  constructor(
    private readonly connections: ConnectionRegistryService,
    private readonly mailboxes: MailboxReaderService,
    @Inject(PEER_PUB_SUB) private readonly peers: PubSub,
  ) {
    super(SWEEP_MS);
  }

  override async start(): Promise<void> {
    await super.start();
    this.reconnects = this.peers.onReconnect(() => void this.runSafely());
  }

  override async stop(): Promise<void> {
    this.reconnects?.close();
    await super.stop();
  }

  async run(): Promise<void> {
    const principals = this.connections.principals();
    for (let start = 0; start < principals.length; start += PRINCIPALS_AT_ONCE) {
      const heads = await this.mailboxes.findHeads(principals.slice(start, start + PRINCIPALS_AT_ONCE));
      for (const { principal, head } of heads) this.connections.notifyHead(principal, head);
    }
  }
}
