import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '../retry.js';
import type { WatchConnection } from './watch-link.js';

const BOOT_MS = 500;

/** Shuts the watch down and restarts it, with the notices that a real watch sends. */
export class WatchPower {
  constructor(private readonly link: WatchConnection) {}

  async shutDown(): Promise<void> {
    await this.link.send('WristwatchShutdownNoticeMessage', { time: Date.now(), cause: 'REMOTE' });
    this.link.gateway.stop();
    this.link.log('shuts down');
  }

  async restart(): Promise<void> {
    await this.shutDown();
    await sleep(BOOT_MS);
    this.link.gateway.start();
    await withTimeout('the gateway', this.link.gateway.whenConnected());
    await this.link.send('WristwatchStartupNoticeMessage', { time: Date.now(), cause: 'REMOTE' });
    this.link.log('has started');
  }
}
