import { responseData } from '@family-watch/client';
import { FenceActions } from '../people/child-actions.js';
import type { DemoFamily, FamilyChild } from './demo-family.js';
import { PLACES } from './places.js';

const DEVICE_PATH = '/apis/v2/userctx/user/device';
const SCHOOL_DAYS = [1, 2, 3, 4, 5];
const WEEKEND = [6, 7];
const DAY_SECONDS = 86_400;
const [FENCE_RADIUS_METRES, PARK_RADIUS_METRES] = [180, 250];
const STEP_GOAL = 8_000;

/** Creates the fences. They report what happens from now on, because a fence does not apply to earlier locations. */
export async function addFences({ mother }: DemoFamily, { child }: FamilyChild): Promise<void> {
  const fences = new FenceActions(mother, child.cid);
  const windows = [{ weekdays: SCHOOL_DAYS, from: '08:00', to: '15:10', notArrivedBy: '08:15', leftEarly: true }];
  await fences.create({ name: 'Home', ...at('home'), radius: FENCE_RADIUS_METRES });
  await fences.create({ name: 'School', ...at('school'), radius: FENCE_RADIUS_METRES }, { windows });
  const notify = { entered: false, left: false, dwelled: true };
  await fences.create({ name: 'Park', ...at('park'), radius: PARK_RADIUS_METRES }, { notify });
}

function at(place: keyof typeof PLACES): { latitude: number; longitude: number } {
  const [latitude, longitude] = PLACES[place].corner;
  return { latitude, longitude };
}

/** Creates alarms, school times and the rules of the watch, which the watch applies. */
export async function changeSettings({ mother }: DemoFamily, { child, watch }: FamilyChild): Promise<void> {
  const { api } = mother;
  const { did } = watch;
  const alarms = [
    { hour: 6, minute: 50, repeat: 'CUSTOM' as const, weekdays: SCHOOL_DAYS, label: 'School' },
    { hour: 8, minute: 30, repeat: 'CUSTOM' as const, weekdays: WEEKEND, label: 'Weekend' },
    { hour: 17, minute: 0, repeat: 'DAILY' as const, label: 'Piano', enabled: false },
  ];
  for (const alarm of alarms)
    await responseData(api.POST(`${DEVICE_PATH}/alarm-clock/create`, { body: { did, ...alarm } }));
  const lessons = [
    { label: 'Morning lessons', start: '08:00', end: '11:50' },
    { label: 'Afternoon lessons', start: '13:00', end: '15:10' },
  ];
  for (const lesson of lessons) {
    const body = { did, ...lesson, weekdays: SCHOOL_DAYS };
    await responseData(api.POST(`${DEVICE_PATH}/school-disable/create`, { body }));
  }
  await responseData(api.POST(`${DEVICE_PATH}/reject-stranger/update`, { body: { did, enabled: true } }));
  const allowed = { did, areaCode: '+86', phoneNumber: '057187654321', once: false, expiresIn: DAY_SECONDS };
  await responseData(api.POST(`${DEVICE_PATH}/reject-stranger/allow-number/create`, { body: allowed }));
  const settings = { did, volume: 60, brightness: 80, ringMode: 'RING_AND_VIBRATE' as const };
  await responseData(api.POST(`${DEVICE_PATH}/settings/update`, { body: settings }));
  const goal = { cid: child.cid, stepGoal: STEP_GOAL };
  await responseData(api.POST('/apis/v2/userctx/user/child/step-goal/update', { body: goal }));
  mother.log(`sets alarms, school times and rules of ${child.name}'s watch`);
}
