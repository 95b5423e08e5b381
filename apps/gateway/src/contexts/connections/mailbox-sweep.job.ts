import { Inject, Injectable } from '@nestjs/common';
import type { Signals, SignalSubscription } from '@family-watch/event-bus/signals';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { PEERS } from '../../infrastructure/gateway.tokens.js';
import { MailboxReader } from '../mailbox/mailbox-reader.service.js';
import { ConnectionRegistry } from './connection-registry.service.js';

const SWEEP_MS = 10_000;
const PRINCIPALS_AT_ONCE = 2_000;

/** Repairs lost wake-ups: looks how far the mailboxes of connected principals reach, slowly and after each gap. */
@Injectable()
export class MailboxSweepJob extends PeriodicJob {
  private reconnects: SignalSubscription | undefined;

  constructor(
    private readonly connections: ConnectionRegistry,
    private readonly mailboxes: MailboxReader,
    @Inject(PEERS) private readonly peers: Signals,
  ) {
    super(SWEEP_MS);
  }

  override async start(): Promise<void> {
    await super.start();
    this.reconnects = this.peers.onReconnect(() => void this.attempt());
  }

  override async stop(): Promise<void> {
    this.reconnects?.close();
    await super.stop();
  }

  async run(): Promise<void> {
    const principals = this.connections.principals();
    for (let start = 0; start < principals.length; start += PRINCIPALS_AT_ONCE) {
      const heads = await this.mailboxes.headsOf(principals.slice(start, start + PRINCIPALS_AT_ONCE));
      for (const { principal, head } of heads) this.connections.wake(principal, head);
    }
  }
}
