import type { PrincipalType } from '../../kernel/contracts/principal.js';

/** Types of principals that exchange messages with the service. */
export type MessageParty = Extract<PrincipalType, 'user' | 'watch'>;

/**
 * How messages of a kind are delivered. `durable`: stored in the mailbox and redelivered until the client acknowledges
 * them. `latest`: only the newest message per child is delivered. `ephemeral`: delivered to connected clients only.
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
  /** True if a newer message about the same watch, child or conversation replaces an undelivered older message. */
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

/**
 * Definition of the chat message kinds. Users and watches send chat messages; the other members of the conversation and
 * the sender's other sessions receive them.
 */
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

/** The definitions of `MESSAGE_KINDS` by name, for lookups by a name that may not be a message kind. */
export const messageKindsByName: ReadonlyMap<string, MessageKindDefinition> = new Map(Object.entries(MESSAGE_KINDS));

/** Returns the delivery rules of a kind. @throws Error for a kind that only clients send. */
export function outboundRuleOf(kind: MessageKind): OutboundRule {
  const definition: MessageKindDefinition = MESSAGE_KINDS[kind];
  if (!definition.outbound) throw new Error(`${kind} is never sent to a client`);
  return definition.outbound;
}

/** Returns whether persons and watches send messages of this kind in conversations. */
export function isChatKind(kind: MessageKind): boolean {
  return MESSAGE_KINDS[kind] === chatKind;
}

/** Sender of a message. For messages of the service itself, `type` is `system` and `id` is empty. */
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
  /** The watch (`did`) and the child (`cid`) that the message is about; absent if there is none. */
  did?: number;
  cid?: string;
  payload: Payload;
}

/**
 * Payload of a `messages` event. It delivers the durable messages with sequence numbers above `after` and up to
 * `through`. `after` equals `through` of the previous frame with durable messages. Some numbers of the range may have
 * no message. A frame without durable messages has neither `after` nor `through`.
 */
export interface MessagesFrame {
  after?: number;
  through?: number;
  messages: MessageEnvelope[];
}
