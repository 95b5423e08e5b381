import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopbackAddress } from '@family-watch/testing/clients/loopback-address';
import { CloudApi, pathOf } from '../load/cloud-api.js';
import { post, TrafficClient, type RequestMeasurement } from '../load/family-traffic.js';
import { CHILD } from '../load/registered-family.js';
import { PASSWORD } from '../load/sign-up.js';
import { listen, originOf, registerEndpoint } from '../load/web-push.js';
import { encodeTextFrame } from '../load/websocket.js';
import type { AccountScenarioName } from '../options.js';
import { HeldConnections } from './held-connections.js';
import type { AttackTarget, StatusCounts } from './raw-client.js';
import { openSocketOf } from './silent-sockets.js';
import { writeRepeatedly } from './slow-requests.js';

/** An account that misbehaves, and the watch of its family. */
export interface AttackingAccount {
  token: string;
  watchToken: string;
  phoneNumber: string;
  deviceToken: string;
  cid: string;
  cloudID: string;
  conversationId: string;
}

/** What a scenario needs, and what it counts. */
export interface AccountAttack {
  target: AttackTarget;
  accounts: readonly AttackingAccount[];
  /** Results of all requests. */
  measurements: RequestMeasurement[];
  /** Counts of what is no request. */
  counts: StatusCounts;
  /** Returns the number of connections of the attack: `full`, or a fifth of it. */
  size: (full: number) => number;
}

interface AccountScenario {
  /** Number of accounts that misbehave together. */
  accounts: number;
  /** Begins the scenario, which then continues until the process ends. */
  begin: (attack: AccountAttack) => void | Promise<void>;
}

/** The scenarios in which ordinary accounts misbehave, each within the limits of the service. */
export const ACCOUNT_SCENARIOS: Record<AccountScenarioName, AccountScenario> = {
  'writers-40': { accounts: 1, begin: (attack) => writeToOwnFamily(attack, 40) },
  'writers-700': { accounts: 1, begin: (attack) => writeToOwnFamily(attack, 700) },
  'writers-20-accounts': { accounts: 20, begin: (attack) => writeToOwnFamily(attack, 40) },
  exports: { accounts: 2, begin: exportRepeatedly },
  'slow-uploads': { accounts: 1, begin: uploadSlowly },
  'large-frames': { accounts: 1, begin: sendLargeFrames },
  'silent-push-1': { accounts: 1, begin: alertSilentEndpoints },
  'silent-push-8': { accounts: 8, begin: alertSilentEndpoints },
};

/** Requests of an account per minute (RATE_LIMIT_CALLER_REQUESTS), and a minute with a margin for late requests. */
const REQUESTS_PER_MINUTE = 3_000;
const MINUTE_MS = 61_000;
const RETRY_DELAY_MS = 500;

const USER_PATH = '/apis/v2/userctx/user';

/** Exports of an account with 20 copies of a blob. */
const EXPORTED_BLOB_BYTES = 16 * 1_024 ** 2;
const EXPORTED_COPIES = 20;

const SLOW_UPLOADS = 500;
const SLOW_UPLOAD_BYTES = 2 * 1_024 ** 2;
/** Maximum number of files of one upload session. */
const UPLOADS_PER_SESSION = 100;
const SLOW_UPLOAD_CHUNK = Buffer.alloc(1_024);
const SLOW_UPLOAD_INTERVAL_MS = 1_000;

/** Maximum number of sockets of an account, with a reserve for connections that are opened again. */
const SOCKETS_PER_ACCOUNT = 60;
/** A little more than the interval of 100 events per second and socket (RATE_LIMIT_EVENTS). */
const FRAME_INTERVAL_MS = 10.5;
const FRAME_BYTES = 64 * 1_024;
/** Bytes that wait for the service in each socket, at most. */
const MAX_UNSENT_BYTES = 4 * FRAME_BYTES;

const PUSH_ENDPOINTS_PER_ACCOUNT = 10;
const ALERT_INTERVAL_MS = 250;

/**
 * Each account changes its own child over many connections, one request at a time over each connection. The requests of
 * a minute are sent as fast as the service responds.
 */
function writeToOwnFamily(attack: AccountAttack, connectionsPerAccount: number): void {
  for (const account of attack.accounts) {
    const budget = new RequestBudget();
    const localAddress = loopbackAddress();
    for (let index = 0; index < attack.size(connectionsPerAccount); index += 1)
      void writeRepeatedlyTo(
        new TrafficClient({ ...attack.target, localAddress }, attack.measurements),
        account,
        budget,
      );
  }
}

async function writeRepeatedlyTo(client: TrafficClient, account: AttackingAccount, budget: RequestBudget) {
  const { cid, token } = account;
  for (;;) {
    const number = await budget.take();
    const request =
      number % 2 === 0
        ? post(`${USER_PATH}/child/update`, token, { ...CHILD, cid, name: `Mia ${number}` })
        : post(`${USER_PATH}/child/step-goal/update`, token, { cid, stepGoal: 1_000 + number });
    await client.send('write', request, performance.now());
  }
}

/** Counts the requests of an account and waits for the next minute when the account has used up the present one. */
class RequestBudget {
  private minuteBeganAt = performance.now();
  private taken = 0;
  private total = 0;

  /** @returns the number of the request, which begins with 0 */
  async take(): Promise<number> {
    while (this.taken >= REQUESTS_PER_MINUTE) {
      await sleep(Math.max(0, this.minuteBeganAt + MINUTE_MS - performance.now()));
      if (performance.now() < this.minuteBeganAt + MINUTE_MS) continue;
      this.minuteBeganAt = performance.now();
      this.taken = 0;
    }
    this.taken += 1;
    return this.total++;
  }
}

/** Each account fills its cloud with copies of a blob and requests the next export when the last one has ended. */
async function exportRepeatedly({ target, accounts, measurements }: AccountAttack): Promise<void> {
  for (const account of accounts) {
    const endpoint = { ...target, localAddress: loopbackAddress() };
    const api = await CloudApi.open(endpoint, account);
    const [upload] = await api.createUploads(1, EXPORTED_BLOB_BYTES);
    if (!upload) throw new Error('The service has created no upload');
    const body = Buffer.alloc(EXPORTED_BLOB_BYTES, account.cid);
    const stored = await api.connection.send({ method: 'PUT', path: pathOf(upload.uploadURL), body });
    if (stored.status !== 200) throw new Error(`The upload returned ${stored.status}`);
    const copy = { taskType: 1, contentIDList: [upload.contentID], destCatalogID: '' };
    for (let copies = 1; copies < EXPORTED_COPIES; copies += 1) await api.call('createBatchOprTask', copy);
    api.close();
    void requestExports(new TrafficClient(endpoint, measurements), account);
  }
}

async function requestExports(client: TrafficClient, { token }: AttackingAccount): Promise<void> {
  const request = post(`${USER_PATH}/account/data/export`, token, { stepUp: { password: PASSWORD } });
  for (;;) {
    await client.send('export', request, performance.now());
    await sleep(RETRY_DELAY_MS);
  }
}

/** An account uploads many files at 1 KB per second each, as a watch on a slow network does. */
async function uploadSlowly({ target, accounts, counts, size }: AccountAttack): Promise<void> {
  for (const account of accounts) {
    const api = await CloudApi.open(target, account);
    const paths: string[] = [];
    while (paths.length < size(SLOW_UPLOADS)) {
      const uploads = await api.createUploads(UPLOADS_PER_SESSION, SLOW_UPLOAD_BYTES);
      paths.push(...uploads.map(({ uploadURL }) => pathOf(uploadURL)));
    }
    api.close();
    new HeldConnections(target, (socket, index) => {
      counts.add('slow upload');
      socket.write(`PUT ${paths[index] ?? ''} HTTP/1.1\r\nHost: x\r\nContent-Length: ${SLOW_UPLOAD_BYTES}\r\n\r\n`);
      writeRepeatedly(socket, SLOW_UPLOAD_CHUNK, SLOW_UPLOAD_INTERVAL_MS);
      socket.once('close', () => counts.add('slow upload that the service ended'));
    }).start(size(SLOW_UPLOADS));
  }
}

/** An account sends events of the maximum size over all of its sockets, as many as it may. */
function sendLargeFrames({ target, accounts, counts, size }: AccountAttack): void {
  for (const { token, conversationId } of accounts) {
    const event = `421["ChatTextMessage",{"clientMsgId":"large","conversationId":"${conversationId}","text":"`;
    const frame = encodeTextFrame(`${event}${'x'.repeat(FRAME_BYTES - event.length - 3)}"}]`);
    new HeldConnections(target, (socket) => {
      counts.add('socket');
      openSocketOf(socket, target, token, () => sendAtRateLimit(socket, frame, counts));
      socket.once('close', () => counts.add('socket that the service ended'));
    }).start(size(SOCKETS_PER_ACCOUNT));
  }
}

function sendAtRateLimit(socket: Socket, frame: Buffer, counts: StatusCounts): void {
  const startedAt = performance.now();
  let due = 0;
  const timer = setInterval(() => {
    for (; due < (performance.now() - startedAt) / FRAME_INTERVAL_MS; due += 1) {
      if (socket.writableLength >= MAX_UNSENT_BYTES) continue;
      counts.add('large frame');
      socket.write(frame);
    }
  }, FRAME_INTERVAL_MS);
  socket.once('close', () => clearInterval(timer));
}

/** Each account registers ten push endpoints that accept connections and never respond, and causes alerts to them. */
async function alertSilentEndpoints({ target, accounts, measurements, counts }: AccountAttack): Promise<void> {
  const server = createServer((socket) => {
    counts.add('push connection');
    socket.on('error', () => undefined).resume();
  });
  await listen(server);
  for (const account of accounts) {
    for (let endpoint = 0; endpoint < PUSH_ENDPOINTS_PER_ACCOUNT; endpoint += 1) {
      const client = new TrafficClient({ ...target, localAddress: loopbackAddress() }, measurements);
      const { phoneNumber, deviceToken, cid } = account;
      const credentials = { areaCode: '+86', phoneNumber, password: PASSWORD, deviceToken };
      const signedIn = await client.send('sign-in', post(`${USER_PATH}/account/sign-in`, undefined, credentials), 0);
      if (signedIn?.status !== 200) throw new Error(`The sign-in of the attacker returned ${signedIn?.status}`);
      const { accessToken } = JSON.parse(signedIn.body.toString()) as { accessToken: string };
      const url = `${originOf(server)}/${cid}/${endpoint}`;
      await client.send('push endpoint', registerEndpoint(accessToken, url), 0);
      client.close();
    }
  }
  for (const account of accounts)
    void raiseAlerts(new TrafficClient({ ...target, localAddress: loopbackAddress() }, measurements), account);
}

/** Raises and resolves an SOS again and again. */
async function raiseAlerts(client: TrafficClient, { token, watchToken, cid }: AttackingAccount): Promise<void> {
  for (;;) {
    const request = post('/apis/v2/userctx/watch/sos/raise', watchToken, {});
    const raised = await client.send('alert', request, performance.now());
    if (raised?.status === 200) {
      const { sosId } = JSON.parse(raised.body.toString()) as { sosId: string };
      await client.send('resolution', post(`${USER_PATH}/sos/resolve`, token, { cid, sosId }), performance.now());
    }
    await sleep(ALERT_INTERVAL_MS);
  }
}
