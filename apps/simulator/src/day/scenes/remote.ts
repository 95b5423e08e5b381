import type { SchoolDay } from '../school-day.js';
import type { Scene } from '../scene.js';
import { observedNow } from '../delivery-observer.js';

export const watchRang: Scene = {
  expectation: 'the watch rings when the mother searches for it',
  async run(day) {
    const since = Date.now();
    return `done after ${await waitUntilDone(day, await day.watchActions.find(), since)} ms`;
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
    const commandId = await day.watchActions.reboot();
    const { delayMs } = await observer.waitFor(mother.name, 'receives the startup notice of the watch', since, () =>
      mother.incoming
        .ofKind('WristwatchStartupNoticeMessage')
        .find(({ message: { payload } }) => payload.did === watch.did && payload.cause === 'REMOTE'),
    );
    await waitUntilDone(day, commandId, since);
    return `started after ${delayMs} ms`;
  },
};

/** Waits until the mother sees the command as DONE. @returns milliseconds since `since` */
async function waitUntilDone(
  { mother, watchActions, observer }: SchoolDay,
  commandId: string,
  since: number,
): Promise<number> {
  const { delayMs } = await observer.waitFor(mother.name, 'sees that the command is done', since, async () => {
    const command = await watchActions.command(commandId);
    return command?.state === 'DONE' ? observedNow(command) : undefined;
  });
  return delayMs;
}
