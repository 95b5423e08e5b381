import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { RemoteCommandRepository } from './remote-command.repository.js';

const INTERVAL_MS = 5_000;
/** 90 days. Milliseconds. */
const RETENTION_MS = 90 * 24 * 3_600_000;

/** Expires commands whose deadline has passed and deletes commands after 90 days. */
@Injectable()
export class CommandExpiryJob extends PeriodicJob {
  constructor(private readonly commands: RemoteCommandRepository) {
    super(INTERVAL_MS);
  }

  async run(now = Date.now()): Promise<void> {
    await this.commands.expire(now);
    await this.commands.deleteOld(now - RETENTION_MS);
  }
}
