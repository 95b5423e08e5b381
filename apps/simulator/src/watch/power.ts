import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../patience.js';
import type { WatchLink } from './watch-link.js';

const BOOT_MS = 500;

/** Goes off and on, and says so. */
export class Power {
  constructor(private readonly link: WatchLink) {}

  async shutDown(): Promise<void> {
    await this.link.send('WristwatchShutdownNoticeMessage', { time: Date.now(), cause: 'REMOTE' });
    this.link.gateway.stop();
    this.link.tell('is off');
  }

  async restart(): Promise<void> {
    await this.shutDown();
    await sleep(BOOT_MS);
    this.link.gateway.start();
    await within('the gateway', this.link.gateway.whenConnected());
    await this.link.send('WristwatchStartupNoticeMessage', { time: Date.now(), cause: 'REMOTE' });
    this.link.tell('is on again');
  }
}
