import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { ConnectionRepository } from './connection.repository.js';
import { PresenceService } from './presence.service.js';
import { WatchPresenceRepository } from './watch-presence.repository.js';

/** Milliseconds between two renewals: a third of the validity of the lease. */
const RENEWAL_INTERVAL_MS = 3_000;

/** Renews this node's lease and deletes nodes whose leases have expired. */
@Injectable()
export class NodeLeaseJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly presence: PresenceService,
    private readonly connections: ConnectionRepository,
    private readonly watches: WatchPresenceRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(RENEWAL_INTERVAL_MS);
  }

  /** Acquires the lease before the node accepts connections. */
  override async start(): Promise<void> {
    await this.runSafely();
    await super.start();
  }

  async run(): Promise<void> {
    const wasValid = await this.connections.renewLease(this.presence.nodeId, this.clock.now());
    await this.presence.resync(!wasValid);
    await this.unitOfWork.run(async () => {
      const expired = await this.connections.removeExpiredNodes();
      await this.watches.storeDisconnects(expired.filter(({ principal }) => principal.startsWith('watch:')));
    });
  }
}
