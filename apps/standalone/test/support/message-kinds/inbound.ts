import { randomUUID } from 'node:crypto';
import type { MessageParty } from '@family-watch/domain/messages/contracts/message-kinds';
import type { MessageKindScenario } from './scenario.js';

/** Creates the payload that a client of this party sends for a kind. */
type InboundPayload = (scenario: MessageKindScenario, party: MessageParty) => object;

const messageFields = ({ conversationId }: MessageKindScenario) => ({ clientMsgId: randomUUID(), conversationId });
const pictureFields = (scenario: MessageKindScenario) => ({
  ...messageFields(scenario),
  contentID: scenario.contentID,
  width: 640,
  height: 480,
});

export const INBOUND_PAYLOADS: Readonly<Partial<Record<string, InboundPayload>>> = {
  HeartbeatMessage: (_, party) => (party === 'watch' ? { battery: 83, charging: false, worn: true } : {}),
  AckMessage: ({ sockets }, party) => ({ seq: sockets[party].hello?.head ?? 0 }),
  ChatTextMessage: (scenario) => ({ ...messageFields(scenario), text: 'Dinner is ready' }),
  ChatEmojiMessage: (scenario) => ({ ...messageFields(scenario), emoji: 'HEART' }),
  ChatVoiceMessage: (scenario) => ({ ...messageFields(scenario), contentID: scenario.contentID, duration: 2_000 }),
  ChatImageMessage: pictureFields,
  ChatVideoMessage: (scenario) => ({ ...pictureFields(scenario), duration: 3_000 }),
  LocationPointChangeMessage: () => ({
    points: [{ latitude: '31.2304', longitude: '121.4737', radius: 9, pointType: 1, positionTime: Date.now() }],
  }),
  WristwatchStartupNoticeMessage: () => ({ time: Date.now(), cause: 'USER' }),
  WristwatchShutdownNoticeMessage: () => ({ time: Date.now(), cause: 'BATTERY' }),
};
