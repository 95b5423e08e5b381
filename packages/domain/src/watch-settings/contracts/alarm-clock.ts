/** On which days an alarm rings. ONCE: the first time that comes after it was set, and never again. */
export const ALARM_REPEAT = { ONCE: 'ONCE', DAILY: 'DAILY', CUSTOM: 'CUSTOM' } as const;
export type AlarmRepeat = (typeof ALARM_REPEAT)[keyof typeof ALARM_REPEAT];

/** Alarm clocks that one child can have. */
export const MAX_ALARM_CLOCKS_PER_CHILD = 20;

/** When an alarm rings, in the child's time zone. */
export interface AlarmSchedule {
  hour: number;
  minute: number;
  repeat: AlarmRepeat;
  /** 1 Monday to 7 Sunday; for CUSTOM at least one, else none. */
  weekdays: number[];
  /** `YYYY-MM-DD`: it does not ring on these days. */
  skipDates: string[];
  enabled: boolean;
  /** When its schedule was last changed, Unix milliseconds: what ONCE counts from. */
  setAt: number;
}

export interface AlarmClock extends AlarmSchedule {
  alarmId: string;
  label: string;
}
