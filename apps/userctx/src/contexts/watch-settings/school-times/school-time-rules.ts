import { findOverlapDate } from '@family-watch/domain/watch-settings/contracts/school-time';
import type { SchoolTime } from '@family-watch/domain/watch-settings/contracts/school-time';
import type { CreateSchoolTimeDto, UpdateSchoolTimeDto } from '@family-watch/domain/watch-settings/dto/school-time.dto';
import type { ErrorDetail } from '@family-watch/domain/kernel/contracts/service-error';

type SchoolTimeFields =
  Omit<CreateSchoolTimeDto, 'did' | 'version'> | Omit<UpdateSchoolTimeDto, 'did' | 'version' | 'schoolTimeId'>;

/**
 * Applies the request to the school time. Omitted fields are unchanged. The lists of the result are sorted, and no
 * contact occurs twice.
 */
export function mergeSchoolTime(before: SchoolTime, request: SchoolTimeFields): SchoolTime {
  return {
    schoolTimeId: before.schoolTimeId,
    label: request.label ?? before.label,
    start: request.start ?? before.start,
    end: request.end ?? before.end,
    weekdays: (request.weekdays ?? before.weekdays).toSorted((one, other) => one - other),
    holidays: (request.holidays ?? before.holidays).toSorted(),
    extraDates: (request.extraDates ?? before.extraDates).toSorted(),
    allowContacts: [...new Set(request.allowContacts ?? before.allowContacts)].toSorted(),
    enabled: request.enabled ?? before.enabled,
  };
}

/**
 * Checks that a school time is not empty, applies to at least one day and, if enabled, overlaps no other enabled one.
 */
export function validateSchoolTime(changed: SchoolTime, all: readonly SchoolTime[]): ErrorDetail[] {
  if (changed.start === changed.end)
    return [{ field: 'end', rule: 'isAfterStart', message: 'end must differ from start' }];
  if (changed.weekdays.length + changed.extraDates.length === 0)
    return [{ field: 'weekdays', rule: 'needsDays', message: 'weekdays or extraDates must contain at least one day' }];
  if (!changed.enabled) return [];
  const others = all.filter(({ schoolTimeId, enabled }) => enabled && schoolTimeId !== changed.schoolTimeId);
  return others.flatMap((other) => {
    if (findOverlapDate(changed, other) === undefined) return [];
    const range = `${other.start} to ${other.end}`;
    return [{ field: 'start', rule: 'overlaps', message: `overlaps ${other.schoolTimeId} (${range})` }];
  });
}
