import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Signals, SignalSubscription } from '@family-watch/event-bus/signals';
import { SIGNALS } from '../../infrastructure/gateway.tokens.js';
import { MailboxRepository } from '../mailbox/mailbox.repository.js';
import { ConnectionRegistry } from './connection-registry.service.js';

const SWEEP_MS = 10_000;
const PRINCIPALS_AT_ONCE = 2_000;

/** Repairs lost wake-ups: looks how far the mailboxes of connected principals reach, slowly and after each gap. */
@Injectable()
export class MailboxSweepJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(MailboxSweepJob.name);
  private timer: NodeJS.Timeout | undefined;
  private reconnects: SignalSubscription | undefined;

  constructor(
    private readonly connections: ConnectionRegistry,
    private readonly mailboxes: MailboxRepository,
    @Inject(SIGNALS) private readonly signals: Signals,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.run(), SWEEP_MS);
    this.timer.unref();
    this.reconnects = this.signals.onReconnect(() => void this.run());
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.reconnects?.close();
  }

  async run(): Promise<void> {
    const principals = this.connections.principals();
    try {
      for (let start = 0; start < principals.length; start += PRINCIPALS_AT_ONCE) {
        const heads = await this.mailboxes.findHeads(principals.slice(start, start + PRINCIPALS_AT_ONCE));
        for (const { principal, head } of heads) this.connections.wake(principal, head);
      }
    } catch (error) {
      this.logger.warn(`Mailboxes could not be swept: ${String(error)}`);
    }
  }
}
