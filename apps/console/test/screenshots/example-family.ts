import { GatewayClient } from '@family-watch/client';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { addChild, bindNewWatch, signUp, type Person, type Service, type Watch } from '../support/accounts.js';
import { uploadFile } from '../support/family-cloud.js';
import { landscape } from '../support/pictures.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** In Chengdu, because the coast of the outline is not exact enough for a city beside the sea. */
const HOME = { latitude: 30.6604, longitude: 104.0637 };
const SCHOOL = { latitude: 30.6662, longitude: 104.0729 };

/** A family in which each page of the console has something to show. */
export interface ExampleFamily {
  readonly owner: Person;
  /** A guardian, who has other rights than the owner. */
  readonly guardian: Person;
  /** A person without a family. */
  readonly stranger: Person;
  readonly familyId: string;
  readonly mia: { readonly cid: string; readonly watch: Watch };
  /** Has a watch that was never connected. */
  readonly tom: { readonly cid: string; readonly watch: Watch };
  /** Has no watch. */
  readonly zoe: { readonly cid: string };
  readonly fenceId: string;
  readonly conversationId: string;
  readonly albumId: string;
  /** The connection of Mia's watch. */
  readonly connection: GatewayClient;
}

/** Creates the family through the API. Only what would need days is written into the database. */
export async function createExampleFamily(service: Service & { adminUrl: string }): Promise<ExampleFamily> {
  const owner = await signUp(service, 'Anna');
  const [guardian, applicant, stranger] = [
    await signUp(service, 'Ben'),
    await signUp(service, 'Grandma Lin'),
    await signUp(service, 'Nora'),
  ];
  const { client } = owner;
  const cids = [await addChild(owner, 'Mia'), await addChild(owner, 'Tom'), await addChild(owner, 'Zoe')] as const;
  const [mia, tom, zoe] = cids;
  const miasWatch = await bindNewWatch(service, owner, mia);
  const tomsWatch = await bindNewWatch(service, owner, tom);
  const familyId = (await client.families.list()).items[0]?.familyId ?? '';
  const { did } = miasWatch;
  await writeHistory(service, { cids, watches: [miasWatch, tomsWatch] });
  const connection = await connect(service, miasWatch);

  const { code } = await client.families.createInvitation({ familyId, role: 2, appellation: 'Papa', identityType: 1 });
  await guardian.client.families.acceptInvitation({ code });
  const invitation = await client.families.createInvitation({ familyId, role: 3, appellation: 'Grandma' });
  await applicant.client.families.createApplication({ inviteCode: invitation.code, appellation: 'Grandma' });
  await client.families.createInvitation({ familyId, role: 4 });
  await guardian.client.families.createOwnershipClaim({ familyId });

  const { fenceId } = await client.fences.create({
    ...{ cid: mia, name: 'School', notify: { entered: true, left: true, dwelled: false } },
    circle: { ...placeOf(SCHOOL), radius: 200 },
    windows: [{ weekdays: [1, 2, 3, 4, 5], from: '08:00', to: '16:00', notArrivedBy: '08:15', leftEarly: true }],
  });
  await client.fences.create({ cid: mia, name: 'Home', circle: { ...placeOf(HOME), radius: 150 } });
  const park = [
    [30.6685, 104.0605],
    [30.6715, 104.0612],
    [30.671, 104.066],
    [30.6688, 104.065],
  ] as const;
  await client.fences.create({
    ...{ cid: mia, name: 'Park' },
    polygon: { points: park.map(([latitude, longitude]) => placeOf({ latitude, longitude })) },
  });
  await client.locations.createShare({ cid: mia, title: 'Aunt Mei' });
  await client.children.updateStepGoal({ cid: mia, stepGoal: 6_000 });

  await client.contacts.create({
    ...{ deviceId: did, name: 'Grandpa', phoneNumber: '13900001111', areaCode: '+86', identityType: 3 },
    ...{ appellation: 'Yeye', canCall: true, sosOrder: 2 },
  });
  await client.alarmClocks.create({ did, hour: 7, minute: 0, repeat: 'CUSTOM', weekdays: [1, 2, 3, 4, 5] });
  await client.alarmClocks.create({ did, hour: 16, minute: 30, repeat: 'ONCE', label: 'Violin' });
  await client.schoolTimes.create({ did, label: 'Morning', start: '08:00', end: '11:40', weekdays: [1, 2, 3, 4, 5] });
  await client.schoolTimes.create({ did, label: 'Afternoon', start: '13:00', end: '15:30', weekdays: [1, 2, 4] });
  await client.strangers.createAllowNumber({ did, areaCode: '+86', phoneNumber: '02155501234', expiresIn: 86_400 });
  const now = Date.now();
  await miasWatch.client.watch.reportBlockedCalls({
    calls: [
      {
        time: now - 90 * MINUTE_MS,
        areaCode: '+86',
        phoneNumber: '02155509876',
        outcome: 'BLOCKED',
        cause: 'STRANGER',
      },
      { time: now - 30 * MINUTE_MS, outcome: 'BLOCKED', cause: 'STRANGER' },
    ],
  });
  await client.watches.updateSettings({ did, volume: 70, ringMode: 'RING_AND_VIBRATE', brightness: 80 });
  await client.watches.updateSettings({
    ...{ did, powerSchedule: { on: '06:30', off: '21:00' } },
    locationSchedule: [{ start: '22:00', end: '06:00', weekdays: [1, 2, 3, 4, 5, 6, 7], mode: 'SAVE' }],
  });

  await walk(miasWatch, now);
  await tomsWatch.client.watch.reportLocation({
    points: [
      {
        ...placeOf({ latitude: 30.657, longitude: 104.071 }),
        radius: 60,
        pointType: 2,
        positionTime: now - 3 * 60 * MINUTE_MS,
      },
    ],
  });
  await client.remoteControl.find({ did });
  await befriend(service, owner, miasWatch);

  const conversationId = await waitUntilFound('the conversation with Mia', async () => {
    const { items } = await client.messages.listConversations();
    return items.find(({ type, members }) => type === 'DIRECT' && members.some((member) => member.cid === mia))
      ?.conversationId;
  });
  const pictures = await uploadPictures(owner, familyId);
  await chat({ owner, watch: miasWatch, conversationId, familyId, picture: pictures[0] ?? '' });
  const { photoID } = await client.familyCloud.createCloudPhoto({ cloudID: familyId, photoName: 'Holidays' });
  await client.familyCloud.addPhotoContents({ cloudID: familyId, photoID, contentIDList: pictures.slice(0, 5) });
  await client.familyCloud.deleteContents({ cloudID: familyId, contentIDList: pictures.slice(-2) });

  await call(owner, miasWatch);
  await sell(service);
  await client.payments.createOrder({ productId: 'cloud-100', familyId });
  for (const cid of [mia, tom]) await guardian.client.locations.get({ cid }).catch(() => undefined);
  return {
    ...{ owner, guardian, stranger, familyId, fenceId, conversationId, albumId: photoID, connection },
    ...{ mia: { cid: mia, watch: miasWatch }, tom: { cid: tom, watch: tomsWatch }, zoe: { cid: zoe } },
  };
}

function placeOf({ latitude, longitude }: typeof HOME): { latitude: string; longitude: string } {
  return { latitude: latitude.toFixed(7), longitude: longitude.toFixed(7) };
}

/** Lets the watches be bound for a week, and Mia have made steps on each day. */
async function writeHistory(
  { adminUrl }: { adminUrl: string },
  { cids: [mia], watches }: { cids: readonly [string, ...string[]]; watches: readonly Watch[] },
): Promise<void> {
  const database = new Client({ connectionString: adminUrl });
  await database.connect();
  try {
    await database.query('UPDATE userctx.watch_binding SET bound_at = $2 WHERE did = ANY($1::bigint[])', [
      watches.map(({ did }) => did),
      Date.now() - 7 * DAY_MS,
    ]);
    await database.query(
      `INSERT INTO userctx.step_day
       SELECT $1, current_date - n, 2500 + (n * 1733) % 5000 FROM generate_series(1, 6) AS n`,
      [mia],
    );
  } finally {
    await database.end();
  }
}

/** Reports the way from home to school and back to the park, with stays. */
async function walk({ client }: Watch, now: number): Promise<void> {
  const corners = [
    HOME,
    HOME,
    { latitude: 30.6636, longitude: 104.0645 },
    { latitude: 30.6645, longitude: 104.071 },
    SCHOOL,
    SCHOOL,
    { latitude: 30.6698, longitude: 104.063 },
  ];
  const minutes = [0, 30, 40, 50, 60, 150, 180];
  const end = now - MINUTE_MS;
  const begin = end - 180 * MINUTE_MS;
  const points = corners.slice(0, -1).flatMap((from, index) => {
    const to = corners[index + 1] ?? from;
    const [start = 0, stop = 0] = minutes.slice(index, index + 2);
    return Array.from({ length: 6 }, (_, step) => ({
      ...placeOf({
        latitude: from.latitude + ((to.latitude - from.latitude) * step) / 6,
        longitude: from.longitude + ((to.longitude - from.longitude) * step) / 6,
      }),
      radius: 12 + (step % 3) * 6,
      pointType: 1 as const,
      positionTime: Math.round(begin + (start + ((stop - start) * step) / 6) * MINUTE_MS),
    }));
  });
  await client.watch.reportLocation({ points });
  const last = corners.at(-1) ?? HOME;
  await client.watch.reportLocation({ points: [{ ...placeOf(last), radius: 15, pointType: 1, positionTime: end }] });
  await client.watch.reportSteps({ stepTotal: 4_321 });
}

/** Connects the watch, which then reports its battery and applies half of the settings. */
async function connect({ url }: Service, { client, tokens }: Watch): Promise<GatewayClient> {
  const heartbeat = () => ({ battery: 64, worn: true, signal: 3, signalMax: 4, stepTotal: 4_321 });
  const gateway = new GatewayClient({ url, tokens, heartbeat });
  gateway.onMessage('AlarmClockChangeNoticeMessage', ({ id }) =>
    gateway.send('AckMessage', { messageId: id, status: 'APPLIED' }),
  );
  gateway.start();
  await gateway.whenConnected();
  await client.watch.pullSettings();
  return gateway;
}

/** Mia has a friend, and another child waits for the consent of the family. */
async function befriend(service: Service, owner: Person, watch: Watch): Promise<void> {
  for (const name of ['Leo', 'Emma']) {
    const other = await signUp(service, `Parent of ${name}`);
    const otherWatch = await bindNewWatch(service, other, await addChild(other, name));
    if (name === 'Leo') {
      const { friendCode } = await otherWatch.client.watch.createFriendCode();
      const { applicationId } = await owner.client.friends.apply({ did: watch.did, friendCode });
      await other.client.friends.confirm({ did: otherWatch.did, applicationId });
    } else {
      const { friendCode } = await watch.client.watch.createFriendCode();
      await other.client.friends.apply({ did: otherWatch.did, friendCode });
    }
  }
}

async function uploadPictures(owner: Person, cloudID: string): Promise<string[]> {
  const contentIDs: string[] = [];
  for (let index = 0; index < 14; index += 1)
    contentIDs.push(await uploadFile(owner, cloudID, `picture ${index + 1}.jpg`, await landscape(index)));
  return contentIDs;
}

/** All kinds of messages, in both directions. */
async function chat({
  owner,
  watch,
  conversationId,
  familyId,
  picture,
}: {
  owner: Person;
  watch: Watch;
  conversationId: string;
  familyId: string;
  picture: string;
}): Promise<void> {
  const directory = process.env['TMPDIR'] ?? '/tmp';
  const [video, voice] = [join(directory, 'example.mp4'), join(directory, 'example.wav')];
  const ffmpeg = (...args: string[]) =>
    promisify(execFile)('ffmpeg', ['-y', '-loglevel', 'error', '-f', 'lavfi', ...args]);
  await ffmpeg('-i', 'testsrc=duration=3:size=320x240:rate=10', '-pix_fmt', 'yuv420p', video);
  await ffmpeg('-i', 'sine=frequency=440:duration=4', voice);
  const videoID = await uploadFile(owner, familyId, 'lake.mp4', await readFile(video));
  const voiceID = await uploadFile(owner, familyId, 'voice.wav', await readFile(voice));
  const send = ({ client }: Person | Watch, content: object) =>
    client.messages.send({ clientMsgId: crypto.randomUUID(), conversationId, ...content } as Parameters<
      typeof client.messages.send
    >[0]);
  await send(watch, { kind: 'ChatTextMessage', text: 'We are at the park' });
  await send(owner, {
    kind: 'ChatTextMessage',
    text: 'Great! Be home at five, Grandma comes for dinner and brings a cake.',
  });
  await send(watch, { kind: 'ChatEmojiMessage', emoji: 'CAKE' });
  await send(owner, { kind: 'ChatImageMessage', contentID: picture, width: 960, height: 640 });
  await send(owner, { kind: 'ChatVoiceMessage', contentID: voiceID, duration: 4_000 });
  await send(owner, { kind: 'ChatVideoMessage', contentID: videoID, width: 320, height: 240, duration: 3_000 });
  const { id } = await send(owner, { kind: 'ChatTextMessage', text: 'Oops' });
  await owner.client.messages.recall({ messageId: id });
  await send(watch, { kind: 'ChatTextMessage', text: 'Can Leo come with me?' });
}

/** A call that the watch did not answer, and one that the parent missed. */
async function call(owner: Person, watch: Watch): Promise<void> {
  const { cid } = await watch.client.watch.getChild();
  const outgoing = await owner.client.videoCalls.create({ to: { cid } });
  await owner.client.videoCalls.hangUp({ callId: outgoing.callId });
  const incoming = await watch.client.videoCalls.create({ to: { userId: owner.userId } });
  await watch.client.videoCalls.hangUp({ callId: incoming.callId });
}

/** Puts products on sale, which only an operator can do. */
async function sell({ adminUrl }: { adminUrl: string }): Promise<void> {
  const database = new Client({ connectionString: adminUrl });
  await database.connect();
  try {
    await database.query(
      `INSERT INTO userctx.payment_product
         (product_id, kind, title, amount, currency, cloud_bytes, period_days, changed_at)
       VALUES ('cloud-100', 'CLOUD_SPACE', '100 GB for a month', 990, 'CNY', 107374182400, 30, 0),
              ('plan-month', 'WATCH_PLAN', 'Watch plan for a month', 1900, 'CNY', NULL, 30, 0)`,
    );
  } finally {
    await database.end();
  }
}
