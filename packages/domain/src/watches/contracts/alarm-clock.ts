/**
 * Days on which an alarm rings. ONCE: only at the first time of day that matches after the alarm was set. CUSTOM: on
 * the given weekdays.
 */
export const ALARM_REPEAT = { ONCE: 'ONCE', DAILY: 'DAILY', CUSTOM: 'CUSTOM' } as const;
export type AlarmRepeat = (typeof ALARM_REPEAT)[keyof typeof ALARM_REPEAT];

/** Maximum number of alarms per child. */
export const MAX_ALARM_CLOCKS_PER_CHILD = 20;

/** When an alarm rings, in the child's time zone. */
export interface AlarmSchedule {
  hour: number;
  minute: number;
  repeat: AlarmRepeat;
  /** Weekdays, 1 Monday to 7 Sunday; at least one for CUSTOM, otherwise empty. */
  weekdays: number[];
  /** Dates (`YYYY-MM-DD`) on which the alarm does not ring. */
  skipDates: string[];
  enabled: boolean;
  /**
   * When the schedule was last changed, in Unix milliseconds. An alarm with ONCE rings at the first matching time after
   * `setAt`.
   */
  setAt: number;
}
