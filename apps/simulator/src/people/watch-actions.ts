import { responseData, type Schema } from '@family-watch/client';
import { retryUntilAvailable } from '../retry.js';
import type { Person } from './person.js';

const DEVICE_PATH = '/apis/v2/userctx/user/device';

/** A guardian's settings and remote commands for a watch. */
export class WatchActions {
  constructor(
    private readonly person: Person,
    private readonly did: number,
  ) {}

  private get api() {
    return this.person.api;
  }

  private get query() {
    return { params: { query: { did: this.did } } };
  }

  async setAlarm(): Promise<void> {
    const body = { did: this.did, hour: 7, minute: 30, repeat: 'DAILY', label: 'Good morning' } as const;
    await responseData(this.api.POST(`${DEVICE_PATH}/alarm-clock/create`, { body }));
    this.person.log('sets an alarm for 7:30');
  }

  /** Returns the alarms of the watch, and whether the watch has applied them. */
  getAlarms(): Promise<Schema<'AlarmClocksDto'>> {
    return retryUntilAvailable(() => responseData(this.api.GET(`${DEVICE_PATH}/alarm-clock/get`, this.query)));
  }

  /** Creates a daily school time from `start` to `end`, both `HH:MM` in the child's time zone. */
  async setSchoolTime(start: string, end: string): Promise<void> {
    const body = { did: this.did, start, end, weekdays: [1, 2, 3, 4, 5, 6, 7], label: 'Lessons' };
    await responseData(this.api.POST(`${DEVICE_PATH}/school-disable/create`, { body }));
    this.person.log(`sets school time from ${start} to ${end}`);
  }

  getSchoolTimes(): Promise<Schema<'SchoolTimesDto'>> {
    return retryUntilAvailable(() => responseData(this.api.GET(`${DEVICE_PATH}/school-disable/get`, this.query)));
  }

  async pauseSchoolToday(): Promise<void> {
    await retryUntilAvailable(() =>
      responseData(this.api.POST(`${DEVICE_PATH}/school-disable/pause-today`, { body: { did: this.did } })),
    );
    this.person.log('pauses school time for the rest of the day');
  }

  async listBlockedCalls(): Promise<Schema<'BlockedCallDto'>[]> {
    const calls = () => responseData(this.api.GET(`${DEVICE_PATH}/reject-stranger/blocked-call/list`, this.query));
    return (await retryUntilAvailable(calls)).items;
  }

  /** Sends the command that makes the watch ring. @returns the id of the command */
  async sendFindCommand(): Promise<string> {
    const body = { did: this.did };
    const { commandId } = await retryUntilAvailable(() =>
      responseData(this.api.POST(`${DEVICE_PATH}/remote-control/find`, { body })),
    );
    this.person.log('searches for the watch by ringing it');
    return commandId;
  }

  /**
   * Sends the command that restarts the watch.
   * @returns the id of the command
   * @throws ApiError SOS_ACTIVE while an SOS of the child is not resolved
   */
  async sendRebootCommand(): Promise<string> {
    const body = { did: this.did };
    const { commandId } = await retryUntilAvailable(() =>
      responseData(this.api.POST(`${DEVICE_PATH}/remote-control/reboot`, { body })),
    );
    this.person.log('restarts the watch');
    return commandId;
  }

  async findCommand(commandId: string): Promise<Schema<'CommandDto'> | undefined> {
    const { items } = await retryUntilAvailable(() =>
      responseData(this.api.GET(`${DEVICE_PATH}/remote-control/list`, this.query)),
    );
    return items.find((command) => command.commandId === commandId);
  }

  /** Asks the watch to report its location. @returns the id of the location request */
  async requestLocation(): Promise<string> {
    const body = { did: this.did };
    const { askId } = await retryUntilAvailable(() =>
      responseData(this.api.POST('/apis/v2/userctx/user/location/ask', { body })),
    );
    this.person.log('requests the location of Mia');
    return askId;
  }

  findLocationRequest(askId: string): Promise<Schema<'AskProgressDto'>> {
    const params = { query: { askId } };
    return retryUntilAvailable(() => responseData(this.api.GET('/apis/v2/userctx/user/location/ask/get', { params })));
  }
}
