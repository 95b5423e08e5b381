import type { TestClient } from '@family-watch/testing/clients/test-client';
import type { MessageKind, MessageParty } from '@family-watch/domain/messages/contracts/message-kinds';
import { distantWeekday } from '../distant-weekday.js';
import { expectOk } from '../http-client.js';
import { Watch, WATCH_SIDE } from '../watch.js';
import { INBOUND } from './inbound.js';
import { MESSAGES } from './scenario.js';
import type { MessageKindScenario } from './scenario.js';

/** Causes a message of the kind to be delivered to each party. @returns other sockets that receive it, if any */
type Scenario = (scenario: MessageKindScenario) => Promise<Partial<Record<MessageParty, TestClient>> | void>;

const PARTIES: readonly MessageParty[] = ['user', 'watch'];

const otherParty = (party: MessageParty): MessageParty => (party === 'user' ? 'watch' : 'user');

/** Sends a message of this kind as the party. @returns its id */
async function send(scenario: MessageKindScenario, party: MessageParty, kind: string): Promise<string> {
  const answer = await scenario.sockets[party].send(kind, INBOUND[kind]?.(scenario, party) ?? {});
  if (!answer.ok) throw new Error(`${party} sent ${kind}: ${JSON.stringify(answer)}`);
  return String(answer.id);
}

const byBoth =
  (kind: MessageKind): Scenario =>
  async (scenario) => {
    for (const party of PARTIES) await send(scenario, party, kind);
  };

const byWatch =
  (kind: MessageKind): Scenario =>
  async (scenario) => {
    await send(scenario, 'watch', kind);
  };

const byOwner =
  (path: string, body: (scenario: MessageKindScenario) => object = () => ({})): Scenario =>
  async (scenario) => {
    await expectOk(scenario.fixture.owner.post(path, { did: scenario.did, ...body(scenario) }));
  };

/** Each party reads a message of the other party, and the sender of each message receives the receipt. */
const readEachOther: Scenario = async (scenario) => {
  for (const party of PARTIES) {
    const reader = scenario.sockets[otherParty(party)];
    const messageId = await send(scenario, party, 'ChatTextMessage');
    await reader.waitFor(() => reader.ofKind('ChatTextMessage').some(({ id }) => id === messageId), 'the text');
    const read = await reader.send('AckMessage', { messageId, status: 'READ' });
    if (!read.ok) throw new Error(JSON.stringify(read));
  }
};

const recallFromEachOther: Scenario = async (scenario) => {
  for (const party of PARTIES) {
    const messageId = await send(scenario, party, 'ChatTextMessage');
    await expectOk(scenario.actor(party).post(`${MESSAGES}recall`, { messageId }));
  }
};

const callEachOther: Scenario = async (scenario) => {
  const { owner, cid } = scenario.fixture;
  for (const [party, to] of [['user', { cid }] as const, ['watch', { userId: owner.userId }] as const]) {
    const { callId } = await expectOk(
      scenario.actor(party).post<{ callId: string }>(`${MESSAGES}video-call/create`, { to }),
    );
    await expectOk(scenario.actor(party).post(`${MESSAGES}video-call/hangup`, { callId }));
  }
};

/** Binds a connected watch, which receives the notice. */
const bindAnother: Scenario = async ({ service, fixture: { owner } }) => {
  const watch = await Watch.enrolled(service.url);
  const socket = await watch.connect();
  const cid = await owner.createChild({ name: 'Mila' });
  await expectOk(owner.post('device/bind', { ...(await watch.bindCode()), cid }));
  return { watch: socket };
};

const applyForFriend: Scenario = async ({ fixture, other, did }) => {
  const { friendCode } = await expectOk(
    other.watch.post<{ friendCode: string }>(`${WATCH_SIDE}friend-code/create`, {}),
  );
  await expectOk(fixture.watch.post('device/friends/apply', { did, friendCode }));
};

const callForHelp: Scenario = async ({ fixture: { owner, watch, cid } }) => {
  const { sosId } = await expectOk(watch.post<{ sosId: string }>(`${WATCH_SIDE}sos/raise`, { time: Date.now() }));
  await expectOk(owner.post('sos/resolve', { cid, sosId }));
};

const shutDown: Scenario = async ({ fixture: { owner }, did }) => {
  await expectOk(owner.post('device/remote-control/shutdown', { did, stepUp: await owner.stepUp() }));
};

const contact = ({ did }: MessageKindScenario) => ({
  deviceId: did,
  name: 'Grandma',
  phoneNumber: '13900001111',
  areaCode: '86',
});
const morning = () => ({ start: '08:00', end: '12:00', weekdays: [distantWeekday()] });

export const OUTBOUND: Readonly<Partial<Record<string, Scenario>>> = {
  AckMessage: readEachOther,
  ChatTextMessage: byBoth('ChatTextMessage'),
  ChatVideoMessage: byBoth('ChatVideoMessage'),
  ChatVoiceMessage: byBoth('ChatVoiceMessage'),
  ChatEmojiMessage: byBoth('ChatEmojiMessage'),
  ChatImageMessage: byBoth('ChatImageMessage'),
  DeviceBindStateChangeNoticeMessage: bindAnother,
  LocationPointChangeMessage: byWatch('LocationPointChangeMessage'),
  ContactsChangeNoticeMessage: byOwner('device/contacts/create', contact),
  AddFriendNoticeMessage: applyForFriend,
  AlarmClockChangeNoticeMessage: byOwner('device/alarm-clock/create', () => ({ hour: 7, minute: 30 })),
  SchoolDisableChangeNoticeMessage: byOwner('device/school-disable/create', morning),
  WristwatchStartupNoticeMessage: byWatch('WristwatchStartupNoticeMessage'),
  WristwatchShutdownNoticeMessage: byWatch('WristwatchShutdownNoticeMessage'),
  RejectStrangerChangeNoticeMessage: byOwner('device/reject-stranger/update', () => ({ enabled: false })),
  MessageCenterChangeNoticeMessage: callForHelp,
  VideoCallInNoticeMessage: callEachOther,
  VideoCallOutNoticeMessage: callEachOther,
  AskLocationPointNoticeMessage: byOwner('location/ask'),
  RemoteControlShutdownNoticeMessage: shutDown,
  RemoteControlRebootNoticeMessage: byOwner('device/remote-control/reboot'),
  RemoteControlFindNoticeMessage: byOwner('device/remote-control/find'),
  DeviceSettingsChangeNoticeMessage: byOwner('location/mode/update', () => ({ mode: 'FOLLOW', expiresIn: 600 })),
  ConversationChangeNoticeMessage: recallFromEachOther,
};
