import { distantWeekday } from '../distant-weekday.js';
import type { OperationRow } from './operation-row.js';

const WATCH_NOT_FOUND = { did: 'WATCH_NOT_FOUND' } as const;

/** Row of an operation with which users and the watch may read settings. */
const readableByUsersAndWatch: OperationRow = {
  access: ['user', 'watch'],
  request: ({ did }) => ({ query: { did } }),
  refuses: WATCH_NOT_FOUND,
};

const readableByUsers: OperationRow = { ...readableByUsersAndWatch, access: ['user'] };

/** Operations on watch settings and the watch's reports about them. */
export const SETTINGS_ROWS: Readonly<Record<string, OperationRow>> = {
  getAlarmClocks: readableByUsersAndWatch,
  createAlarmClock: {
    access: ['user'],
    request: ({ did }) => ({ body: { did, hour: 8, minute: 0, repeat: 'CUSTOM', weekdays: [1, 3] } }),
    refuses: WATCH_NOT_FOUND,
    destroys: true,
  },
  updateAlarmClock: {
    access: ['user'],
    request: ({ did, alarmId }) => ({ body: { did, alarmId, label: 'School' } }),
    refuses: { ...WATCH_NOT_FOUND, alarmId: 'ALARM_CLOCK_NOT_FOUND' },
    destroys: true,
  },
  deleteAlarmClock: {
    access: ['user'],
    request: ({ did, alarmId }) => ({ body: { did, alarmId } }),
    refuses: { ...WATCH_NOT_FOUND, alarmId: 'ALARM_CLOCK_NOT_FOUND' },
    // The guardian's request runs first and has deleted the alarm clock.
    owner: 'ALARM_CLOCK_NOT_FOUND',
    destroys: true,
  },
  getSchoolTimes: readableByUsersAndWatch,
  createSchoolTime: {
    access: ['user'],
    request: ({ did, refId }) => ({
      body: { did, start: '08:00', end: '12:00', weekdays: [distantWeekday()], allowContacts: [refId] },
    }),
    refuses: { ...WATCH_NOT_FOUND, refId: 'CONTACT_NOT_FOUND' },
    // The guardian's request runs first and has created a school time that overlaps.
    owner: 'VALIDATION_FAILED',
    destroys: true,
  },
  updateSchoolTime: {
    access: ['user'],
    request: ({ did, schoolTimeId, refId }) => ({ body: { did, schoolTimeId, allowContacts: [refId] } }),
    refuses: { ...WATCH_NOT_FOUND, schoolTimeId: 'SCHOOL_TIME_NOT_FOUND', refId: 'CONTACT_NOT_FOUND' },
    destroys: true,
  },
  deleteSchoolTime: {
    access: ['user'],
    request: ({ did, schoolTimeId }) => ({ body: { did, schoolTimeId } }),
    refuses: { ...WATCH_NOT_FOUND, schoolTimeId: 'SCHOOL_TIME_NOT_FOUND' },
    owner: 'SCHOOL_TIME_NOT_FOUND',
    destroys: true,
  },
  pauseSchoolToday: {
    access: ['user'],
    request: ({ did }) => ({ body: { did } }),
    refuses: WATCH_NOT_FOUND,
    destroys: true,
  },
  listEarlyExits: readableByUsers,
  reportEarlyExits: {
    access: ['watch'],
    request: () => ({ body: { exits: [{ time: 1_790_000_000_000 }] } }),
    refuses: {},
    destroys: true,
  },
  getStrangerRule: readableByUsersAndWatch,
  updateStrangerRule: {
    access: ['user'],
    request: ({ did }) => ({ body: { did, enabled: false } }),
    refuses: WATCH_NOT_FOUND,
    destroys: true,
  },
  listBlockedCalls: readableByUsers,
  reportBlockedCalls: {
    access: ['watch'],
    request: () => ({ body: { calls: [{ time: 1_790_000_000_000, outcome: 'BLOCKED' }] } }),
    refuses: {},
    destroys: true,
  },
  createAllowNumber: {
    access: ['user'],
    request: ({ did }) => ({ body: { did, areaCode: '86', phoneNumber: '02155509999' } }),
    refuses: WATCH_NOT_FOUND,
    destroys: true,
  },
  deleteAllowNumber: {
    access: ['user'],
    request: ({ did, allowId }) => ({ body: { did, allowId } }),
    refuses: { ...WATCH_NOT_FOUND, allowId: 'ALLOW_NUMBER_NOT_FOUND' },
    owner: 'ALLOW_NUMBER_NOT_FOUND',
    destroys: true,
  },
  getDeviceSettings: readableByUsersAndWatch,
  updateLocationMode: {
    access: ['user'],
    request: ({ did }) => ({ body: { did, mode: 'SAVE' } }),
    refuses: WATCH_NOT_FOUND,
    destroys: true,
  },
  updateLostMode: {
    access: ['user'],
    request: ({ did }) => ({ body: { did, lost: true } }),
    refuses: WATCH_NOT_FOUND,
    destroys: true,
  },
  pullWatchSettings: { access: ['watch'], request: () => ({}), refuses: {} },
};
