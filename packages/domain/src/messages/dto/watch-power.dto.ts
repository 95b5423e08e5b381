import { DeviceIdField, EnumField, UnixMillisecondsField } from '../../kernel/dto/fields.js';
import { WATCH_SHUTDOWN_CAUSE, WATCH_START_CAUSE } from '../../watches/contracts/watch.events.js';
import type { WatchShutdownCause, WatchStartCause } from '../../watches/contracts/watch.events.js';
import type {
  WatchShutdownPayload,
  WatchShutdownReport,
  WatchStartupPayload,
  WatchStartupReport,
} from '../contracts/payloads.js';

/** Only the service can notice that a watch went silent. */
const { LOST_CONNECTION: _, ...REPORTED_SHUTDOWN_CAUSE } = WATCH_SHUTDOWN_CAUSE;

const BY_THE_WATCH = {
  optional: true,
  description: "By the watch's clock; absent while that is unset",
} as const;

/** WristwatchStartupNoticeMessage from a watch. */
export class WatchStartupReportDto implements WatchStartupReport {
  @UnixMillisecondsField(BY_THE_WATCH)
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
  @UnixMillisecondsField(BY_THE_WATCH)
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
