import { randomUUID } from 'node:crypto';
import { distantWeekday } from '../distant-weekday.js';
import { expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';

/** Ids of an alarm clock, a school time and an allowed number of the watch. */
export interface SettingsIds {
  alarmId: string;
  schoolTimeId: string;
  allowId: string;
}

/**
 * Creates one setting of each kind.
 *
 * @param weekday - ISO weekday on which the school time begins at 21:00; it ends at 6:00 on the next day
 */
export async function settingsIdsOf(
  { owner, watch: { did } }: Pick<FamilyFixture, 'owner' | 'watch'>,
  weekday = distantWeekday(),
): Promise<SettingsIds> {
  const night = { did, start: '21:00', end: '06:00', weekdays: [weekday] };
  const doctor = { did, areaCode: '86', phoneNumber: '02155501234' };
  const { alarm } = await expectOk(
    owner.post<{ alarm: { alarmId: string } }>('device/alarm-clock/create', { did, hour: 7, minute: 30 }),
  );
  const { schoolTime } = await expectOk(
    owner.post<{ schoolTime: { schoolTimeId: string } }>('device/school-disable/create', night),
  );
  const { allowNumber } = await expectOk(
    owner.post<{ allowNumber: { allowId: string } }>('device/reject-stranger/allow-number/create', doctor),
  );
  return { alarmId: alarm.alarmId, schoolTimeId: schoolTime.schoolTimeId, allowId: allowNumber.allowId };
}

export function unknownSettingsIds(): SettingsIds {
  return { alarmId: randomUUID(), schoolTimeId: randomUUID(), allowId: randomUUID() };
}
