import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { RemoteCommandRepository } from './remote-command.repository.js';

const EVERY = 5_000;
/** 90 days. Milliseconds. */
const KEPT = 90 * 24 * 3_600_000;

/** Ends commands whose time is over, and removes old ones. */
@Injectable()
export class CommandExpiryJob extends PeriodicJob {
  constructor(private readonly commands: RemoteCommandRepository) {
    super(EVERY);
  }

  async run(now = Date.now()): Promise<void> {
    await this.commands.expire(now);
    await this.commands.deleteOld(now - KEPT);
  }
}
