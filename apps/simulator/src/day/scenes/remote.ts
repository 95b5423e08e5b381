import type { SchoolDay } from '../school-day.js';
import type { Scene } from '../scene.js';
import { observedNow } from '../delivery-observer.js';

export const watchRang: Scene = {
  expectation: 'the watch rings when the mother searches for it',
  async run(day) {
    const since = Date.now();
    return `done after ${await done(day, await day.care.find(), since)} ms`;
  },
};

export const locationRequested: Scene = {
  expectation: 'the watch reports its location when the mother requests it',
  async run({ mother, care, observer }) {
    const since = Date.now();
    const askId = await care.requestLocation();
    const { took, location } = await observer.waitFor(mother.name, 'receives the location', since, async () => {
      const request = await care.findLocationRequest(askId);
      return request.state === 'ANSWERED' ? observedNow(request) : undefined;
    });
    return `${location?.latitude}, ${location?.longitude} after ${took} ms`;
  },
};

export const watchRestarted: Scene = {
  expectation: 'the watch restarts by remote command and reports its start',
  async run(day) {
    const { mother, watch, observer } = day;
    const since = Date.now();
    const commandId = await day.care.reboot();
    const { took } = await observer.waitFor(mother.name, 'receives the startup notice of the watch', since, () =>
      mother.incoming
        .of('WristwatchStartupNoticeMessage')
        .find(({ message: { payload } }) => payload.did === watch.did && payload.cause === 'REMOTE'),
    );
    await done(day, commandId, since);
    return `started after ${took} ms`;
  },
};

/** Waits until the mother sees the command as DONE. @returns milliseconds since `since` */
async function done({ mother, care, observer }: SchoolDay, commandId: string, since: number): Promise<number> {
  const { took } = await observer.waitFor(mother.name, 'sees that the command is done', since, async () => {
    const command = await care.command(commandId);
    return command?.state === 'DONE' ? observedNow(command) : undefined;
  });
  return took;
}
