import { Inject, Injectable, Logger } from '@nestjs/common';
import { CALL_JOIN_TTL_SECONDS } from '@family-watch/domain/messages/contracts/video-call';
import { VideoCallEntity } from '@family-watch/domain/messages/entities/video-call.entity';
import type { Clock } from '@family-watch/event-bus/clock';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { CLOCK, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import type { VideoCall } from './video-call.js';
import { VideoCallRepository } from './video-call.repository.js';
import { VideoProvider } from './video-provider.js';

const BATCH_SIZE = 50;
/** Milliseconds until another attempt, also if this process ends during an attempt. */
const RETRY_MS = 10_000;
/** Milliseconds after the end of a call for which the media server is called. After that, the room is given up. */
const GIVE_UP_MS = 3_600_000;

/**
 * Ends the rooms of ended calls on the media server. A room ends twice: at once, and when the last credentials of the call
 * have expired, because until then a client could join again.
 */
@Injectable()
export class CallMediaService {
  private readonly logger = new Logger(CallMediaService.name);

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly calls: VideoCallRepository,
    private readonly provider: VideoProvider,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @OnJob('gateway.video-calls.end-media', {
    intervalMs: 500,
    queue: { entity: VideoCallEntity, dueAt: 'mediaEndDueAt' },
  })
  async endRooms(): Promise<void> {
    let claimed: VideoCall[];
    do {
      claimed = await this.unitOfWork.run(() => this.claim());
      await Promise.all(claimed.map((call) => this.endRoom(call)));
    } while (claimed.length === BATCH_SIZE);
  }

  /** The transaction ends before the media server is called: the attempt is repeated if its result is not stored. */
  private async claim(): Promise<VideoCall[]> {
    const now = this.clock.now();
    const calls = await this.calls.claimMediaEnds(now, BATCH_SIZE);
    if (calls.length > 0) {
      const callIds = calls.map(({ callId }) => callId);
      await this.calls.scheduleMediaEnd(callIds, now + RETRY_MS);
    }
    return calls;
  }

  private async endRoom({ callId, provider, endedAt }: VideoCall): Promise<void> {
    const now = this.clock.now();
    const expiry = (endedAt ?? now) + CALL_JOIN_TTL_SECONDS * 1_000;
    try {
      // A call of another provider took place before the provider was reconfigured.
      if (provider === this.provider.name) await this.provider.end(callId);
      await this.calls.scheduleMediaEnd([callId], now < expiry ? expiry : null);
    } catch (error) {
      const isGivenUp = now - (endedAt ?? 0) > GIVE_UP_MS;
      this.logger.warn({ msg: 'The room of an ended call was not ended', callId, isGivenUp, err: error });
      if (isGivenUp) await this.calls.scheduleMediaEnd([callId], null);
    }
  }
}
