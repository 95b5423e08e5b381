import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { ConnectionRepository } from './connection.repository.js';
import { PresenceService } from './presence.service.js';
import { WatchPresenceRepository } from './watch-presence.repository.js';

/** Three beats fit into a lease. */
const BEAT_MS = 3_000;

/** Keeps the lease of this node and clears up after nodes that have lost theirs. */
@Injectable()
export class NodeLeaseJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly presence: PresenceService,
    private readonly connections: ConnectionRepository,
    private readonly watches: WatchPresenceRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(BEAT_MS);
  }

  /** The first beat comes before the first connection. */
  override async start(): Promise<void> {
    await this.runSafely();
    await super.start();
  }

  async run(): Promise<void> {
    const stood = await this.connections.renewLease(this.presence.nodeId, this.clock.now());
    await this.presence.resync(!stood);
    await this.unitOfWork.run(async () => {
      const ended = await this.connections.removeExpiredNodes();
      await this.watches.storeDisconnects(ended.filter(({ principal }) => principal.startsWith('watch:')));
    });
  }
}
