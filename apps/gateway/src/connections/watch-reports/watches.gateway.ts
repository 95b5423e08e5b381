import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import type { PointResult } from '@family-watch/domain/locations/contracts/validate-point';
import type { HeartbeatResult } from '@family-watch/domain/messages/contracts/payloads';
import type {
  HeartbeatDto,
  LocationChangeReportDto,
  WatchShutdownReportDto,
  WatchStartupReportDto,
} from '@family-watch/domain/messages/dto/payloads.dto';
import type { ClientSession } from '../client-session.js';
import { WatchReportsService, StatusThrottle } from './watch-reports.service.js';

/** Fields of a heartbeat, and the violated rules of those that were dropped. */
type ReceivedHeartbeat = HeartbeatDto & HeartbeatResult;

/** Handles heartbeats and the reports of watches. An app's heartbeat only keeps its connection alive. */
@WebSocketGateway()
export class WatchesGateway {
  private readonly throttles = new WeakMap<ClientSession, StatusThrottle>();

  constructor(private readonly reports: WatchReportsService) {}

  @SubscribeMessage('HeartbeatMessage')
  async heartbeat(session: ClientSession, heartbeat: ReceivedHeartbeat): Promise<HeartbeatResult | void> {
    const { principal } = session.connection.identity;
    if (principal.type === 'watch') {
      const throttle = this.throttles.get(session) ?? new StatusThrottle();
      this.throttles.set(session, throttle);
      this.reports.recordHeartbeat(Number(principal.id), heartbeat, throttle);
    }
    if (heartbeat.rejected) return { rejected: heartbeat.rejected };
  }

  /** Responds when the valid points are committed. */
  @SubscribeMessage('LocationPointChangeMessage')
  reportLocation(
    session: ClientSession,
    { points }: LocationChangeReportDto,
  ): Promise<{ id: string; points: PointResult[] }> {
    return this.reports.recordPoints(didOf(session), points);
  }

  @SubscribeMessage('WristwatchStartupNoticeMessage')
  reportStartup(session: ClientSession, report: WatchStartupReportDto): Promise<{ id: string }> {
    return this.reports.recordStartup(didOf(session), report);
  }

  @SubscribeMessage('WristwatchShutdownNoticeMessage')
  reportShutdown(session: ClientSession, report: WatchShutdownReportDto): Promise<{ id: string }> {
    return this.reports.recordShutdown(didOf(session), report);
  }
}

function didOf({ connection }: ClientSession): number {
  return Number(connection.identity.principal.id);
}
