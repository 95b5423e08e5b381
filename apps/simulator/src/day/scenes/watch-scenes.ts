import { observedNow } from '../delivery-observer.js';
import { assert, type Scene } from '../scene.js';
import { waitForBothAdults, type SchoolDay } from '../school-day.js';

export const alarmApplied: Scene = {
  expectation: 'the watch applies an alarm that the mother sets',
  async run({ mother, watchActions, watch, observer }) {
    const since = Date.now();
    await watchActions.setAlarm();
    const { version, delayMs } = await observer.waitFor(
      mother.name,
      'sees that the watch applied the alarm',
      since,
      async () => {
        const alarms = await watchActions.getAlarms();
        return alarms.items.length > 0 && alarms.state === 'APPLIED' ? observedNow(alarms) : undefined;
      },
    );
    const [alarm] = watch.settings.current.ALARM_CLOCK?.items ?? [];
    if (alarm?.label !== 'Good morning') throw new Error('the watch stored a different alarm');
    return `version ${version}, after ${delayMs} ms`;
  },
};

const STRANGER = { areaCode: '+86', phoneNumber: '02155501234' };

export const strangerBlocked: Scene = {
  expectation: "the watch blocks a stranger's call and the parents find it in the log",
  async run({ mother, watchActions, watch, observer }) {
    const since = Date.now();
    const cause = await watch.telephone.ring(STRANGER);
    assert(cause !== undefined, 'the watch rang');
    const { delayMs } = await observer.waitFor(mother.name, "finds the stranger's call in the log", since, async () => {
      const logged = (await watchActions.listBlockedCalls()).find(
        ({ phoneNumber }) => phoneNumber === STRANGER.phoneNumber,
      );
      return logged && logged.cause === cause ? observedNow(logged) : undefined;
    });
    return `${cause}, logged after ${delayMs} ms`;
  },
};

/** Battery level at which the service alerts the parents, per cent. */
const LOW_BATTERY_PERCENT = 20;
/** Part of the battery that is drained at a time, per cent. */
const DRAIN_PERCENT = 9;

export const lowBatteryAlerted: Scene = {
  expectation: 'both adults receive one alert when the battery is low',
  async run(day) {
    const { watch } = day;
    while (watch.vitals.battery - DRAIN_PERCENT > LOW_BATTERY_PERCENT) await drainBattery(watch, DRAIN_PERCENT);
    const since = Date.now();
    await drainBattery(watch, DRAIN_PERCENT);
    const batteryPercent = watch.vitals.battery;
    watch.log(`has ${batteryPercent} % of its battery left`);
    const delays = await waitForBothAdults(day, 'BATTERY_LOW', 'is alerted that the battery is low', since);
    const [alert, ...more] = day.mother.centerMessages.ofType('BATTERY_LOW');
    if (alert?.params['battery'] !== batteryPercent || more.length > 0)
      throw new Error('the alert has another battery level, or was sent twice');
    return `${batteryPercent} %, ${delays}`;
  },
};

async function drainBattery(watch: SchoolDay['watch'], percent: number): Promise<void> {
  watch.vitals.drain(percent);
  await watch.sendHeartbeat();
}

export const watchRang: Scene = {
  expectation: 'the watch rings when the mother searches for it',
  async run(day) {
    const since = Date.now();
    return `done after ${await waitUntilDone(day, await day.watchActions.sendFindCommand(), since)} ms`;
  },
};

export const locationRequested: Scene = {
  expectation: 'the watch reports its location when the mother requests it',
  async run({ mother, watchActions, observer }) {
    const since = Date.now();
    const askId = await watchActions.requestLocation();
    const { delayMs, location } = await observer.waitFor(mother.name, 'receives the location', since, async () => {
      const request = await watchActions.findLocationRequest(askId);
      return request.state === 'ANSWERED' ? observedNow(request) : undefined;
    });
    return `${location?.latitude}, ${location?.longitude} after ${delayMs} ms`;
  },
};

export const watchRestarted: Scene = {
  expectation: 'the watch restarts by remote command and reports its start',
  async run(day) {
    const { mother, watch, observer } = day;
    const since = Date.now();
    const commandId = await day.watchActions.sendRebootCommand();
    const { delayMs } = await observer.waitFor(mother.name, 'receives the startup notice of the watch', since, () =>
      mother.incoming
        .ofKind('WristwatchStartupNoticeMessage')
        .find(({ message: { payload } }) => payload.did === watch.did && payload.cause === 'REMOTE'),
    );
    await waitUntilDone(day, commandId, since);
    return `started after ${delayMs} ms`;
  },
};

/** Waits until the mother sees that the command has state DONE. @returns the milliseconds since `since` */
async function waitUntilDone(
  { mother, watchActions, observer }: SchoolDay,
  commandId: string,
  since: number,
): Promise<number> {
  const { delayMs } = await observer.waitFor(mother.name, 'sees that the command is done', since, async () => {
    const command = await watchActions.findCommand(commandId);
    return command?.state === 'DONE' ? observedNow(command) : undefined;
  });
  return delayMs;
}
