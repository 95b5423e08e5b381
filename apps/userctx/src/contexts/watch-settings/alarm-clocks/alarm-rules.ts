import { ALARM_REPEAT } from '@family-watch/domain/watch-settings/contracts/alarm-clock';
import type { AlarmClock } from '@family-watch/domain/watch-settings/contracts/alarm-clock';
import type { CreateAlarmClockDto, UpdateAlarmClockDto } from '@family-watch/domain/watch-settings/dto/alarm-clock.dto';
import { validationError } from '@family-watch/domain/kernel/contracts/service-error';

type AlarmFields =
  Omit<CreateAlarmClockDto, 'did' | 'version'> | Omit<UpdateAlarmClockDto, 'did' | 'version' | 'alarmId'>;

const SCHEDULE_FIELDS = ['hour', 'minute', 'repeat', 'weekdays', 'skipDates', 'enabled'] as const;

/**
 * Applies the request to the alarm. Omitted fields are unchanged; existing weekdays are retained only for the repeat
 * mode CUSTOM. Lists are sorted.
 */
export function mergeAlarm(before: AlarmClock, request: AlarmFields, now: number): AlarmClock {
  const repeat = request.repeat ?? before.repeat;
  const retainedWeekdays = repeat === ALARM_REPEAT.CUSTOM ? before.weekdays : [];
  const after: AlarmClock = {
    alarmId: before.alarmId,
    hour: request.hour ?? before.hour,
    minute: request.minute ?? before.minute,
    repeat,
    weekdays: (request.weekdays ?? retainedWeekdays).toSorted((one, other) => one - other),
    skipDates: (request.skipDates ?? before.skipDates).toSorted(),
    label: request.label ?? before.label,
    enabled: request.enabled ?? before.enabled,
    setAt: before.setAt,
  };
  const rescheduled = SCHEDULE_FIELDS.some((field) => String(after[field]) !== String(before[field]));
  return rescheduled ? { ...after, setAt: now } : after;
}

/**
 * Checks that weekdays are set for the repeat mode CUSTOM and for no other mode.
 * @throws ServiceError VALIDATION_FAILED.
 */
export function assertAlarmRules({ repeat, weekdays }: AlarmClock): void {
  const isCustom = repeat === ALARM_REPEAT.CUSTOM;
  if (isCustom === weekdays.length > 0) return;
  throw isCustom
    ? validationError('weekdays', 'needsWeekdays', 'CUSTOM requires at least one weekday')
    : validationError('weekdays', 'onlyForCustom', `${repeat} does not accept weekdays`);
}
