import type { TestClient } from '@family-watch/testing/clients/test-client';
import type { MessageKind, MessageParty } from '@family-watch/domain/messages/contracts/message-kinds';
import { distantWeekday } from '../distant-weekday.js';
import { expectOk } from '../http-client.js';
import { Watch, WATCH_PATH } from '../watch.js';
import { INBOUND_PAYLOADS } from './inbound.js';
import { MESSAGE_PATH, type MessageKindScenario } from './scenario.js';

/** Causes the delivery of a message of one kind. @returns the sockets that receive it, if not those of the scenario */
type DeliveryScenario = (scenario: MessageKindScenario) => Promise<Partial<Record<MessageParty, TestClient>> | void>;

const PARTIES: readonly MessageParty[] = ['user', 'watch'];

const otherParty = (party: MessageParty): MessageParty => (party === 'user' ? 'watch' : 'user');

/** Sends a message of this kind as the party. @returns its id */
async function sendMessage(scenario: MessageKindScenario, party: MessageParty, kind: string): Promise<string> {
  const answer = await scenario.sockets[party].send(kind, INBOUND_PAYLOADS[kind]?.(scenario, party) ?? {});
  if (!answer.ok) throw new Error(`${party} sent ${kind}: ${JSON.stringify(answer)}`);
  return String(answer.id);
}

const sendAsBoth =
  (kind: MessageKind): DeliveryScenario =>
  async (scenario) => {
    for (const party of PARTIES) await sendMessage(scenario, party, kind);
  };

const sendAsWatch =
  (kind: MessageKind): DeliveryScenario =>
  async (scenario) => {
    await sendMessage(scenario, 'watch', kind);
  };

const postAsOwner =
  (path: string, body: (scenario: MessageKindScenario) => object = () => ({})): DeliveryScenario =>
  async (scenario) => {
    await expectOk(scenario.fixture.owner.post(path, { did: scenario.did, ...body(scenario) }));
  };

/** Each party reads a message of the other party, and the sender of each message receives the receipt. */
const readMessages: DeliveryScenario = async (scenario) => {
  for (const party of PARTIES) {
    const reader = scenario.sockets[otherParty(party)];
    const messageId = await sendMessage(scenario, party, 'ChatTextMessage');
    await reader.waitFor(() => reader.messagesOfKind('ChatTextMessage').some(({ id }) => id === messageId), 'the text');
    const read = await reader.send('AckMessage', { messageId, status: 'READ' });
    if (!read.ok) throw new Error(JSON.stringify(read));
  }
};

const recallMessages: DeliveryScenario = async (scenario) => {
  for (const party of PARTIES) {
    const messageId = await sendMessage(scenario, party, 'ChatTextMessage');
    await expectOk(scenario.clientOf(party).post(`${MESSAGE_PATH}recall`, { messageId }));
  }
};

const startAndEndCalls: DeliveryScenario = async (scenario) => {
  const { owner, cid } = scenario.fixture;
  for (const [party, to] of [['user', { cid }] as const, ['watch', { userId: owner.userId }] as const]) {
    const { callId } = await expectOk(
      scenario.clientOf(party).post<{ callId: string }>(`${MESSAGE_PATH}video-call/create`, { to }),
    );
    await expectOk(scenario.clientOf(party).post(`${MESSAGE_PATH}video-call/hangup`, { callId }));
  }
};

/** Binds a connected watch, which receives the notice. */
const bindAnotherWatch: DeliveryScenario = async ({ service, fixture: { owner } }) => {
  const watch = await Watch.enrol(service.url);
  const socket = await watch.connect();
  const cid = await owner.createChild({ name: 'Mila' });
  await expectOk(owner.post('device/bind', { ...(await watch.createBindCode()), cid }));
  return { watch: socket };
};

const applyForFriend: DeliveryScenario = async ({ fixture, other, did }) => {
  const { friendCode } = await expectOk(
    other.watch.post<{ friendCode: string }>(`${WATCH_PATH}friend-code/create`, {}),
  );
  await expectOk(fixture.watch.post('device/friends/apply', { did, friendCode }));
};

const raiseSos: DeliveryScenario = async ({ fixture: { owner, watch, cid } }) => {
  const { sosId } = await expectOk(watch.post<{ sosId: string }>(`${WATCH_PATH}sos/raise`, { time: Date.now() }));
  await expectOk(owner.post('sos/resolve', { cid, sosId }));
};

const shutDown: DeliveryScenario = async ({ fixture: { owner }, did }) => {
  await expectOk(owner.post('device/remote-control/shutdown', { did, stepUp: await owner.stepUp() }));
};

const createContactFields = ({ did }: MessageKindScenario) => ({
  deviceId: did,
  name: 'Grandma',
  phoneNumber: '13900001111',
  areaCode: '86',
});
const createMorningRange = () => ({ start: '08:00', end: '12:00', weekdays: [distantWeekday()] });

export const OUTBOUND_SCENARIOS: Readonly<Partial<Record<string, DeliveryScenario>>> = {
  AckMessage: readMessages,
  ChatTextMessage: sendAsBoth('ChatTextMessage'),
  ChatVideoMessage: sendAsBoth('ChatVideoMessage'),
  ChatVoiceMessage: sendAsBoth('ChatVoiceMessage'),
  ChatEmojiMessage: sendAsBoth('ChatEmojiMessage'),
  ChatImageMessage: sendAsBoth('ChatImageMessage'),
  DeviceBindStateChangeNoticeMessage: bindAnotherWatch,
  LocationPointChangeMessage: sendAsWatch('LocationPointChangeMessage'),
  ContactsChangeNoticeMessage: postAsOwner('device/contacts/create', createContactFields),
  AddFriendNoticeMessage: applyForFriend,
  AlarmClockChangeNoticeMessage: postAsOwner('device/alarm-clock/create', () => ({ hour: 7, minute: 30 })),
  SchoolDisableChangeNoticeMessage: postAsOwner('device/school-disable/create', createMorningRange),
  WristwatchStartupNoticeMessage: sendAsWatch('WristwatchStartupNoticeMessage'),
  WristwatchShutdownNoticeMessage: sendAsWatch('WristwatchShutdownNoticeMessage'),
  RejectStrangerChangeNoticeMessage: postAsOwner('device/reject-stranger/update', () => ({ enabled: false })),
  MessageCenterChangeNoticeMessage: raiseSos,
  VideoCallInNoticeMessage: startAndEndCalls,
  VideoCallOutNoticeMessage: startAndEndCalls,
  AskLocationPointNoticeMessage: postAsOwner('location/ask'),
  RemoteControlShutdownNoticeMessage: shutDown,
  RemoteControlRebootNoticeMessage: postAsOwner('device/remote-control/reboot'),
  RemoteControlFindNoticeMessage: postAsOwner('device/remote-control/find'),
  DeviceSettingsChangeNoticeMessage: postAsOwner('location/mode/update', () => ({ mode: 'FOLLOW', expiresIn: 600 })),
  ConversationChangeNoticeMessage: recallMessages,
};
