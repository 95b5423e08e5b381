import { Inject, Injectable, Logger } from '@nestjs/common';
import { VideoCallEntity } from '@family-watch/domain/messages/entities/video-call.entity';
import type { Clock } from '@family-watch/event-bus/clock';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { CLOCK, GatewayUnitOfWork } from '../infrastructure/gateway-infrastructure.js';
import type { VideoCall } from './video-call.js';
import { VideoCallRepository } from './video-call.repository.js';
import { VideoProvider } from './video-provider.js';

const BATCH_SIZE = 50;
/**
 * Milliseconds until the room is ended again, also if this process ends during an attempt. Shorter than the 20 seconds for
 * which LiveKit keeps a room that everybody has left, so that every room is found.
 */
const INTERVAL_MS = 10_000;
/**
 * Milliseconds without a room after which nobody can join again. LiveKit sends each participant new tokens, which are
 * valid for 10 minutes; a minute is added for the differences between clocks.
 */
const ABSENCE_MS = 11 * 60_000;
/** Milliseconds since the room was last found after which a failure gives it up. */
const GIVE_UP_MS = 3_600_000;

/**
 * Ends the rooms of ended calls on the media server: at once, and again and again until no client can have valid
 * credentials, because a client that ignores the end of the call can join again.
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
    while ((await this.endRoomBatch()) === BATCH_SIZE);
  }

  private async endRoomBatch(): Promise<number> {
    const claimed = await this.unitOfWork.run(() => this.claim());
    await Promise.all(claimed.map((call) => this.endRoom(call)));
    return claimed.length;
  }

  /** The transaction ends before the media server is called: the attempt is repeated if its result is not stored. */
  private async claim(): Promise<VideoCall[]> {
    const now = this.clock.now();
    const calls = await this.calls.claimMediaEnds(now, BATCH_SIZE);
    if (calls.length > 0) {
      const callIds = calls.map(({ callId }) => callId);
      await this.calls.scheduleMediaEnd(callIds, now + INTERVAL_MS);
    }
    return calls;
  }

  private async endRoom({ callId, provider, endedAt, mediaFoundAt }: VideoCall): Promise<void> {
    const now = this.clock.now();
    const absence = now - (mediaFoundAt ?? endedAt ?? 0);
    try {
      // A call of another provider took place before the provider was reconfigured.
      const isFound = provider === this.provider.name && (await this.provider.end(callId));
      if (isFound) await this.calls.recordMediaFound(callId, this.clock.now());
      else if (absence >= ABSENCE_MS) await this.calls.scheduleMediaEnd([callId], null);
    } catch (error) {
      const isGivenUp = absence > GIVE_UP_MS;
      this.logger.warn({ msg: 'The room of an ended call was not ended', callId, isGivenUp, err: error });
      if (isGivenUp) await this.calls.scheduleMediaEnd([callId], null);
    }
  }
}
