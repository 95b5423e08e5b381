import { distantWeekday } from '../distant-weekday.js';
import type { OperationRow } from './operation-row.js';

const WATCH_NOT_FOUND = { did: 'WATCH_NOT_FOUND' } as const;

/** Row of an operation with which users and the watch may read settings. */
const readableByUsersAndWatch: OperationRow = {
  callerKinds: ['user', 'watch'],
  request: ({ did }) => ({ query: { did } }),
  rejections: WATCH_NOT_FOUND,
};

const readableByUsers: OperationRow = { ...readableByUsersAndWatch, callerKinds: ['user'] };

/** Operations on watch settings and the watch's reports about them. */
export const SETTINGS_ROWS: Readonly<Record<string, OperationRow>> = {
  getAlarmClocks: readableByUsersAndWatch,
  createAlarmClock: {
    callerKinds: ['user'],
    request: ({ did }) => ({ body: { did, hour: 8, minute: 0, repeat: 'CUSTOM', weekdays: [1, 3] } }),
    rejections: WATCH_NOT_FOUND,
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  updateAlarmClock: {
    callerKinds: ['user'],
    request: ({ did, alarmId }) => ({ body: { did, alarmId, label: 'School' } }),
    rejections: { ...WATCH_NOT_FOUND, alarmId: 'ALARM_CLOCK_NOT_FOUND' },
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  deleteAlarmClock: {
    callerKinds: ['user'],
    request: ({ did, alarmId }) => ({ body: { did, alarmId } }),
    rejections: { ...WATCH_NOT_FOUND, alarmId: 'ALARM_CLOCK_NOT_FOUND' },
    // The guardian's request runs first and has deleted the alarm clock.
    owner: 'ALARM_CLOCK_NOT_FOUND',
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  getSchoolTimes: readableByUsersAndWatch,
  createSchoolTime: {
    callerKinds: ['user'],
    request: ({ did, refId }) => ({
      body: { did, start: '08:00', end: '12:00', weekdays: [distantWeekday()], allowContacts: [refId] },
    }),
    rejections: { ...WATCH_NOT_FOUND, refId: 'CONTACT_NOT_FOUND' },
    // The guardian's request runs first and has created a school time that overlaps.
    owner: 'VALIDATION_FAILED',
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  updateSchoolTime: {
    callerKinds: ['user'],
    request: ({ did, schoolTimeId, refId }) => ({ body: { did, schoolTimeId, allowContacts: [refId] } }),
    rejections: { ...WATCH_NOT_FOUND, schoolTimeId: 'SCHOOL_TIME_NOT_FOUND', refId: 'CONTACT_NOT_FOUND' },
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  deleteSchoolTime: {
    callerKinds: ['user'],
    request: ({ did, schoolTimeId }) => ({ body: { did, schoolTimeId } }),
    rejections: { ...WATCH_NOT_FOUND, schoolTimeId: 'SCHOOL_TIME_NOT_FOUND' },
    owner: 'SCHOOL_TIME_NOT_FOUND',
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  pauseSchoolToday: {
    callerKinds: ['user'],
    request: ({ did }) => ({ body: { did } }),
    rejections: WATCH_NOT_FOUND,
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  listEarlyExits: readableByUsers,
  reportEarlyExits: {
    callerKinds: ['watch'],
    request: () => ({ body: { exits: [{ time: 1_790_000_000_000 }] } }),
    rejections: {},
    needsSeparateFamily: true,
  },
  getStrangerRule: readableByUsersAndWatch,
  updateStrangerRule: {
    callerKinds: ['user'],
    request: ({ did }) => ({ body: { did, enabled: false } }),
    rejections: WATCH_NOT_FOUND,
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  listBlockedCalls: readableByUsers,
  reportBlockedCalls: {
    callerKinds: ['watch'],
    request: () => ({ body: { calls: [{ time: 1_790_000_000_000, outcome: 'BLOCKED' }] } }),
    rejections: {},
    needsSeparateFamily: true,
  },
  createAllowNumber: {
    callerKinds: ['user'],
    request: ({ did }) => ({ body: { did, areaCode: '86', phoneNumber: '02155509999' } }),
    rejections: WATCH_NOT_FOUND,
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  deleteAllowNumber: {
    callerKinds: ['user'],
    request: ({ did, allowId }) => ({ body: { did, allowId } }),
    rejections: { ...WATCH_NOT_FOUND, allowId: 'ALLOW_NUMBER_NOT_FOUND' },
    owner: 'ALLOW_NUMBER_NOT_FOUND',
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  getDeviceSettings: readableByUsersAndWatch,
  updateDeviceSettings: {
    callerKinds: ['user'],
    request: ({ did }) => ({ body: { did, volume: 40 } }),
    rejections: WATCH_NOT_FOUND,
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  updateLocationMode: {
    callerKinds: ['user'],
    request: ({ did }) => ({ body: { did, mode: 'SAVE' } }),
    rejections: WATCH_NOT_FOUND,
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  updateLostMode: {
    callerKinds: ['user'],
    request: ({ did }) => ({ body: { did, lost: true } }),
    rejections: WATCH_NOT_FOUND,
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  pullWatchSettings: { callerKinds: ['watch'], request: () => ({}), rejections: {} },
};
