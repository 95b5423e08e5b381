import { DeviceIdField, EnumField, UnixMillisecondsField } from '../../kernel/dto/fields.js';
import { WATCH_SHUTDOWN_CAUSE, WATCH_START_CAUSE } from '../../watches/contracts/watch.events.js';
import type { WatchShutdownCause, WatchStartCause } from '../../watches/contracts/watch.events.js';
import type {
  WatchShutdownPayload,
  WatchShutdownReport,
  WatchStartupPayload,
  WatchStartupReport,
} from '../contracts/payloads.js';

/** LOST_CONNECTION is detected by the service; a watch cannot report it. */
const { LOST_CONNECTION: _, ...REPORTED_SHUTDOWN_CAUSE } = WATCH_SHUTDOWN_CAUSE;

const WATCH_CLOCK_TIME = {
  optional: true,
  description: "By the watch's clock; omitted if the clock is not set",
} as const;

/** WristwatchStartupNoticeMessage from a watch. */
export class WatchStartupReportDto implements WatchStartupReport {
  @UnixMillisecondsField(WATCH_CLOCK_TIME)
  time?: number;

  @EnumField(WATCH_START_CAUSE)
  cause: WatchStartCause;
}

/** WristwatchStartupNoticeMessage to a guardian. */
export class WatchStartupDto implements WatchStartupPayload {
  @DeviceIdField()
  did: number;

  @UnixMillisecondsField()
  time: number;

  @EnumField(WATCH_START_CAUSE)
  cause: WatchStartCause;
}

/** WristwatchShutdownNoticeMessage from a watch. */
export class WatchShutdownReportDto implements WatchShutdownReport {
  @UnixMillisecondsField(WATCH_CLOCK_TIME)
  time?: number;

  @EnumField(REPORTED_SHUTDOWN_CAUSE)
  cause: WatchShutdownReport['cause'];
}

/** WristwatchShutdownNoticeMessage to a guardian. */
export class WatchShutdownDto implements WatchShutdownPayload {
  @DeviceIdField()
  did: number;

  @UnixMillisecondsField()
  time: number;

  @EnumField(WATCH_SHUTDOWN_CAUSE)
  cause: WatchShutdownCause;
}
