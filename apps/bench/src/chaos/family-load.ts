import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, envelopeData, responseData } from '@family-watch/client';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/message-kinds';
import { GatewaySession, WATCH_HEARTBEAT } from '../load/gateway-session.js';
import { untilAcknowledged } from '../load/rest-operations.js';
import type { FamilyClient, RegisteredFamily } from '../load/registered-family.js';
import type { ServerEndpoint } from '../load/websocket.js';
import type { HistoryLog } from './history-log.js';
import { uploadByTus } from './tus-upload.js';

/** Time between the acknowledgement of an operation and the next operation of the same loop, milliseconds. */
const PAUSE_MS = { message: 100, setting: 250, alarm: 500, location: 250, upload: 500 };
const RESPONSE_TIMEOUT_MS = 10_000;
const POINTS_PER_REPORT = 2;
const FILE_BYTES = { min: 1_000, max: 200_000 };
const DEVICE_PATH = '/apis/v2/userctx/user/device';
const CLOUD_PATH = '/app-api/mcdisk/wristwatch/familyCloud';

/** A session of a client, with the messages and notices that the client has received. */
export interface LiveSession {
  client: FamilyClient;
  session: GatewaySession;
  /** The `clientMsgId` of each received message. */
  receivedClientMsgIds: Set<string>;
  /** Highest version of the alarm clocks in a notice that the client has received. */
  noticedVersion: number;
}

/** A message that the service acknowledged to its sender. */
export interface AcknowledgedMessage {
  clientMsgId: string;
  conversationId: string;
  sender: string;
}

/** Load of one family: each client repeats its operations, one after the other, until each is acknowledged. */
export class FamilyLoad {
  readonly sessions: LiveSession[];
  private readonly stopRequest = new AbortController();
  private readonly deadlineReached = new AbortController();
  private loops: Promise<void>[] = [];

  constructor(
    readonly family: RegisteredFamily,
    endpoint: ServerEndpoint,
    private readonly history: HistoryLog,
    private readonly acknowledgedMessages: AcknowledgedMessage[],
  ) {
    this.sessions = [family.owner, family.guardian, family.watch].map((client) => {
      const session = openSession(client, endpoint, history);
      const live: LiveSession = { client, session, receivedClientMsgIds: new Set(), noticedVersion: 0 };
      session.onMessage = (clientMsgId) => live.receivedClientMsgIds.add(clientMsgId);
      session.onNotice = (message) => this.recordNotice(live, message);
      return live;
    });
  }

  /** Connects all sessions. */
  async connect(): Promise<void> {
    await Promise.all(this.sessions.map(({ session }) => session.open()));
  }

  start(): void {
    this.loops = [
      ...this.sessions.map((live) => this.sendMessages(live)),
      this.changeContact(),
      this.changeAlarm(),
      this.createAndDeleteAlarms(),
      this.reportLocations(),
      this.uploadFiles(),
    ];
  }

  /**
   * Starts no new operation and waits for the pending operations.
   *
   * @param limitMs - milliseconds after which operations without acknowledgement are recorded as `unfinished`
   */
  async finish(limitMs: number): Promise<void> {
    this.stopRequest.abort();
    const timeout = setTimeout(() => this.deadlineReached.abort(), limitMs);
    await Promise.all(this.loops);
    clearTimeout(timeout);
  }

  /** Returns whether the watch and the guardian were notified of the last change of the alarms. */
  async areNoticesDelivered(): Promise<boolean> {
    const { owner, did, watch, guardian } = this.family;
    const { version } = await responseData(
      owner.api.GET(`${DEVICE_PATH}/alarm-clock/get`, { params: { query: { did } } }),
    );
    const recipients = this.sessions.filter(({ client }) => client === watch || client === guardian);
    return recipients.every(({ noticedVersion }) => noticedVersion >= version);
  }

  close(): void {
    for (const { session } of this.sessions) session.close();
  }

  private recordNotice(live: LiveSession, { kind, payload }: MessageEnvelope): void {
    if (kind !== 'AlarmClockChangeNoticeMessage') return;
    const { version } = payload as { version: number };
    live.noticedVersion = Math.max(live.noticedVersion, version);
    const { principal } = live.client;
    this.history.write({ kind: 'alarms-noticed', watch: this.family.watch.principal, actor: principal, version });
  }

  private async sendMessages({ client, session }: LiveSession): Promise<void> {
    const { principal, conversationIds } = client;
    await this.repeatOperation(`${principal} messages`, PAUSE_MS.message, async (number) => {
      const conversationId = conversationIds[number % conversationIds.length] ?? '';
      const clientMsgId = randomUUID();
      const response = Promise.withResolvers<void>();
      const onDeadline = () => response.reject(new Error(`message ${clientMsgId} was not acknowledged`));
      this.deadlineReached.signal.addEventListener('abort', onDeadline, { once: true });
      session.send(conversationId, clientMsgId, response.resolve);
      await response.promise;
      this.deadlineReached.signal.removeEventListener('abort', onDeadline);
      this.acknowledgedMessages.push({ clientMsgId, conversationId, sender: principal });
    });
  }

  private async changeContact(): Promise<void> {
    const { owner, did, guardianContact: refId } = this.family;
    await this.repeatOperation('contact', PAUSE_MS.setting, async (number) => {
      const appellation = `Papa ${number}`;
      const body = { deviceId: did, refId, appellation };
      await this.repeatUntilAcknowledged(() =>
        envelopeData(owner.api.POST('/hmd-wx/api/v2/userctx/user/device/contacts/update', { body })),
      );
      this.history.write({ kind: 'setting-changed', setting: `contact ${refId}`, value: appellation });
    });
  }

  /** Changes the time of one alarm, whose label stays `changing`. */
  private async changeAlarm(): Promise<void> {
    const alarmId = await this.createAlarm('changing');
    const { owner, did } = this.family;
    await this.repeatOperation('alarm', PAUSE_MS.setting, async (number) => {
      const [hour, minute] = [Math.floor(number / 60) % 24, number % 60];
      const { version } = await this.repeatUntilAcknowledged(() =>
        responseData(owner.api.POST(`${DEVICE_PATH}/alarm-clock/update`, { body: { did, alarmId, hour, minute } })),
      );
      this.history.write({ kind: 'setting-changed', setting: `alarm ${alarmId}`, value: `${hour}:${minute}`, version });
    });
  }

  private async createAndDeleteAlarms(): Promise<void> {
    const { owner, did, watch } = this.family;
    let previous: string | undefined;
    await this.repeatOperation('alarms', PAUSE_MS.alarm, async (number) => {
      const alarmId = await this.createAlarm(`alarm ${number}`);
      const body = { did, alarmId: previous ?? '' };
      if (previous !== undefined) {
        await this.repeatUntilAcknowledged(() =>
          responseData(owner.api.POST(`${DEVICE_PATH}/alarm-clock/delete`, { body })),
        ).catch((error: unknown) => {
          // A request that is repeated because its response was lost gets the error that the alarm does not exist.
          if (!(error instanceof ApiError && error.reason === 'ALARM_CLOCK_NOT_FOUND')) throw error;
        });
        this.history.write({ kind: 'alarm-deleted', watch: watch.principal, alarmId: previous });
      }
      previous = alarmId;
    });
  }

  private async createAlarm(label: string): Promise<string> {
    const { owner, did, watch } = this.family;
    const body = { did, hour: 7, minute: 30, repeat: 'DAILY', label } as const;
    const params = { header: { 'Idempotency-Key': randomUUID() } };
    const { alarm } = await this.repeatUntilAcknowledged(() =>
      responseData(owner.api.POST(`${DEVICE_PATH}/alarm-clock/create`, { body, params })),
    );
    this.history.write({ kind: 'alarm-created', watch: watch.principal, label, alarmId: alarm.alarmId });
    return alarm.alarmId;
  }

  private async reportLocations(): Promise<void> {
    const { watch, cid } = this.family;
    let lastTime = Date.now();
    await this.repeatOperation('locations', PAUSE_MS.location, async (number) => {
      lastTime = Math.max(lastTime + POINTS_PER_REPORT, Date.now());
      const times = Array.from({ length: POINTS_PER_REPORT }, (_, index) => lastTime - index);
      const latitude = (31 + (number % 1_000) / 100_000).toFixed(5);
      const points = times.map((positionTime) => ({
        latitude,
        longitude: '121.4737',
        positionTime,
        radius: 20,
        pointType: 1 as const,
      }));
      const { results } = await this.repeatUntilAcknowledged(() =>
        responseData(watch.api.POST('/apis/v2/userctx/watch/location/report', { body: { points } })),
      );
      const rejected = results.find(({ accepted }) => !accepted);
      if (rejected) throw new Error(`A point was rejected: ${String(rejected.reason)}`);
      this.history.write({ kind: 'points-stored', child: cid, times });
    });
  }

  private async uploadFiles(): Promise<void> {
    const { owner, cloudID } = this.family;
    await this.repeatOperation('uploads', PAUSE_MS.upload, async (number) => {
      const bytes = randomBytes(randomInt(FILE_BYTES.min, FILE_BYTES.max));
      const digest = createHash('sha256').update(bytes).digest('hex');
      const name = `file ${number}.bin`;
      const body = { cloudID, uploadContentList: [{ contentName: name, contentSize: bytes.length, digest }] };
      const { uploadResult } = await this.repeatUntilAcknowledged(() =>
        envelopeData(owner.api.POST(`${CLOUD_PATH}/getFileUploadURL`, { body })),
      );
      const [file] = uploadResult.newContentIDList;
      if (!file) throw new Error('The response has no upload');
      await this.repeatUntilAcknowledged(() => uploadByTus(file.tusURL, bytes));
      this.history.write({
        kind: 'upload-stored',
        cloud: cloudID,
        content: { contentID: file.contentID, name, digest },
      });
    });
  }

  private repeatUntilAcknowledged<Result>(operation: () => Promise<Result>): Promise<Result> {
    return untilAcknowledged(operation, this.deadlineReached.signal);
  }

  /** Repeats an operation until `finish`. Records an operation that the service rejects or does not acknowledge. */
  private async repeatOperation(
    name: string,
    pauseMs: number,
    operation: (number: number) => Promise<void>,
  ): Promise<void> {
    for (let number = 0; !this.stopRequest.signal.aborted; number += 1) {
      try {
        await operation(number);
      } catch (error) {
        const actor = `${name} of family ${this.family.cloudID}`;
        this.history.write({ kind: 'unfinished', actor, what: String(error) });
      }
      await sleep(pauseMs, undefined, { signal: this.stopRequest.signal }).catch(() => undefined);
    }
  }
}

/**
 * Creates a session of a client, whose events are recorded in the history.
 *
 * @param replay - name of a session that starts at the first message instead of the cursor that the service stores
 */
export function openSession(
  client: FamilyClient,
  endpoint: ServerEndpoint,
  history: HistoryLog,
  replay?: { name: string; epoch: number },
): GatewaySession {
  const { principal, tokens, conversationIds } = client;
  return new GatewaySession({
    name: replay?.name ?? principal,
    endpoint,
    token: async () => (await tokens.get()).token,
    recorder: history.recorderFor(principal),
    readConversationIds: conversationIds,
    responseTimeoutMs: RESPONSE_TIMEOUT_MS,
    ...(replay ? { cursor: { last: 0, epoch: replay.epoch } } : {}),
    ...(principal.startsWith('watch:') ? { heartbeat: WATCH_HEARTBEAT } : {}),
  });
}
