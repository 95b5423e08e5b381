import type { PrincipalType } from '../../kernel/contracts/principal.js';

/** Clients that exchange messages with the service. */
export type MessageParty = Extract<PrincipalType, 'user' | 'watch'>;

/**
 * How a message is delivered. `durable`: stored in the mailbox and redelivered until acknowledged. `latest`: only the
 * newest value per subject is delivered. `ephemeral`: delivered only to clients that are connected.
 */
export type DeliveryClass = 'durable' | 'latest' | 'ephemeral';

/** Rules for a message kind that clients send. */
export interface InboundRule {
  from: readonly MessageParty[];
  /** True if a watch that is not bound to a child may send messages of this kind. */
  allowedWhileUnbound: boolean;
}

/** Rules for a message kind that the service delivers. */
export interface OutboundRule {
  to: readonly MessageParty[];
  delivery: DeliveryClass;
  /** Milliseconds after which an undelivered message is dropped; `null`: no limit. */
  ttl: number | null;
  /** True if a newer message about the same subject replaces an undelivered older message. */
  replacesOlder: boolean;
}

export interface MessageKindDefinition {
  /** False for kinds that are not in the interface specification (6). */
  isSpecified: boolean;
  inbound?: InboundRule;
  outbound?: OutboundRule;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const BOTH_PARTIES = ['user', 'watch'] as const;
function createDurableRule(to: readonly MessageParty[], extra: Partial<OutboundRule> = {}): OutboundRule {
  return { to, delivery: 'durable', ttl: null, replacesOlder: false, ...extra };
}

function inbound(from: readonly MessageParty[], allowedWhileUnbound = false): InboundRule {
  return { from, allowedWhileUnbound };
}

/** A message of a conversation: users and watches send it; other members and the sender's other sessions receive it. */
const chatKind = {
  isSpecified: true,
  inbound: inbound(BOTH_PARTIES),
  outbound: createDurableRule(BOTH_PARTIES),
} satisfies MessageKindDefinition;

const defineNotice = (to: readonly MessageParty[], extra: Partial<OutboundRule> = {}) => ({
  isSpecified: true,
  outbound: createDurableRule(to, extra),
});

const settingsNoticeKind = defineNotice(BOTH_PARTIES, { replacesOlder: true });

/**
 * The 22 message kinds of the interface specification (6), in the order of the specification, and three additional
 * kinds.
 */
export const MESSAGE_KINDS = {
  HeartbeatMessage: { isSpecified: true, inbound: inbound(BOTH_PARTIES, true) },
  AckMessage: {
    isSpecified: true,
    inbound: inbound(BOTH_PARTIES, true),
    outbound: createDurableRule(BOTH_PARTIES, { replacesOlder: true }),
  },
  ChatTextMessage: chatKind,
  ChatVideoMessage: chatKind,
  ChatVoiceMessage: chatKind,
  ChatEmojiMessage: chatKind,
  ChatImageMessage: chatKind,
  DeviceBindStateChangeNoticeMessage: defineNotice(BOTH_PARTIES),
  LocationPointChangeMessage: {
    isSpecified: true,
    inbound: inbound(['watch']),
    outbound: { to: ['user'], delivery: 'latest', ttl: null, replacesOlder: true },
  },
  ContactsChangeNoticeMessage: defineNotice(BOTH_PARTIES),
  AddFriendNoticeMessage: defineNotice(BOTH_PARTIES),
  AlarmClockChangeNoticeMessage: settingsNoticeKind,
  SchoolDisableChangeNoticeMessage: settingsNoticeKind,
  WristwatchStartupNoticeMessage: {
    isSpecified: true,
    inbound: inbound(['watch']),
    outbound: createDurableRule(['user']),
  },
  WristwatchShutdownNoticeMessage: {
    isSpecified: true,
    inbound: inbound(['watch']),
    outbound: createDurableRule(['user']),
  },
  RejectStrangerChangeNoticeMessage: settingsNoticeKind,
  MessageCenterChangeNoticeMessage: defineNotice(['user']),
  VideoCallInNoticeMessage: defineNotice(BOTH_PARTIES, { ttl: 45 * SECOND_MS }),
  VideoCallOutNoticeMessage: defineNotice(BOTH_PARTIES, { ttl: 45 * SECOND_MS }),
  AskLocationPointNoticeMessage: defineNotice(['watch'], { ttl: 2 * MINUTE_MS }),
  RemoteControlShutdownNoticeMessage: defineNotice(['watch'], { ttl: 10 * MINUTE_MS }),
  RemoteControlRebootNoticeMessage: defineNotice(['watch'], { ttl: 10 * MINUTE_MS }),
  RemoteControlFindNoticeMessage: {
    isSpecified: false,
    outbound: createDurableRule(['watch'], { ttl: 2 * MINUTE_MS }),
  },
  DeviceSettingsChangeNoticeMessage: {
    isSpecified: false,
    outbound: createDurableRule(BOTH_PARTIES, { replacesOlder: true }),
  },
  ConversationChangeNoticeMessage: { isSpecified: false, outbound: createDurableRule(BOTH_PARTIES) },
} as const satisfies Record<string, MessageKindDefinition>;

export type MessageKind = keyof typeof MESSAGE_KINDS;

/** `MESSAGE_KINDS` as a map, for lookups by names that may be unknown. */
export const messageKindsByName: ReadonlyMap<string, MessageKindDefinition> = new Map(Object.entries(MESSAGE_KINDS));

/** Returns the delivery rules of a kind. @throws Error for a kind that only clients send. */
export function outboundRuleOf(kind: MessageKind): OutboundRule {
  const definition: MessageKindDefinition = MESSAGE_KINDS[kind];
  if (!definition.outbound) throw new Error(`${kind} is never sent to a client`);
  return definition.outbound;
}

/** Sender of a message; the service itself is `system` with an empty id. */
export interface Sender {
  type: MessageParty | 'system';
  id: string;
}

export const SYSTEM_SENDER: Sender = { type: 'system', id: '' };

/** A message as a client receives it. */
export interface MessageEnvelope<Kind extends MessageKind = MessageKind, Payload = unknown> {
  /** UUID of the message; the same for all its recipients. */
  id: string;
  kind: Kind;
  /** Sequence number in the recipient's mailbox, strictly increasing; absent for messages that are not stored. */
  seq?: number;
  /** Unix milliseconds. */
  time: number;
  from: Sender;
  /** The watch and the child to which the message refers, if any. */
  did?: number;
  cid?: string;
  payload: Payload;
}

/**
 * Payload of a `messages` event. Durable messages are delivered in contiguous ranges of sequence numbers: `after`
 * equals `through` of the previous range, and a range may contain fewer messages than numbers. A frame without durable
 * messages has neither `after` nor `through`.
 */
export interface MessagesFrame {
  after?: number;
  through?: number;
  messages: MessageEnvelope[];
}
