import type { Schema } from '@family-watch/client';
import type { Fence } from './queries.js';

/** The fields of the form. Their paths are those of the request, so that each error of the service finds its field. */
export interface FenceValues {
  name: string;
  kind: 'circle' | 'polygon';
  circle: { latitude: string; longitude: string; radius: number | string };
  polygon: { points: { latitude: string; longitude: string }[] };
  notify: Schema<'FenceNotifyDto'>;
  /** Minutes; the service takes seconds. */
  dwell: number | string;
  enabled: boolean;
  windows: WindowValues[];
}

/** A time field has an empty text instead of null. */
export type WindowValues = Schema<'AttendanceWindowDto'> & { notArrivedBy: string };

/** What the service accepts. */
export const FENCE_LIMITS = { radius: { min: 50, max: 50_000 }, dwellMinutes: { min: 1, max: 720 } };

export const EMPTY_FENCE: FenceValues = {
  name: '',
  kind: 'circle',
  circle: { latitude: '', longitude: '', radius: 150 },
  polygon: { points: [] },
  notify: { entered: true, left: true, dwelled: false },
  dwell: 10,
  enabled: true,
  windows: [],
};

export const NEW_WINDOW: WindowValues = {
  weekdays: [1, 2, 3, 4, 5],
  from: '08:00',
  to: '16:00',
  notArrivedBy: '08:30',
  leftEarly: true,
  skipDates: [],
};

export function toValues({ name, circle, polygon, notify, dwell, enabled, windows }: Fence): FenceValues {
  return {
    name,
    kind: circle ? 'circle' : 'polygon',
    circle: circle ?? EMPTY_FENCE.circle,
    polygon: polygon ?? EMPTY_FENCE.polygon,
    notify,
    dwell: dwell / 60,
    enabled,
    windows: windows.map((window) => ({
      ...window,
      notArrivedBy: window.notArrivedBy ?? '',
    })),
  };
}

export function toRequest({ name, kind, circle, polygon, notify, dwell, enabled, windows }: FenceValues) {
  return {
    name: name.trim(),
    ...(kind === 'circle'
      ? { circle: { ...circle, radius: Number(circle.radius) }, polygon: null }
      : { circle: null, polygon }),
    notify,
    dwell: Math.round(Number(dwell) * 60),
    enabled,
    windows: windows.map((window) => ({
      ...window,
      notArrivedBy: window.notArrivedBy === '' ? null : window.notArrivedBy,
    })),
  };
}
