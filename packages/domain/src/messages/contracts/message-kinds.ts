import type { PrincipalType } from '../../kernel/contracts/principal.js';

/** Who exchanges messages with the service. */
export type MessageParty = Extract<PrincipalType, 'user' | 'watch'>;

/**
 * What becomes of a message on its way to a client. `durable`: stored in the mailbox, replayed until acknowledged.
 * `latest`: only the newest value per thing matters. `ephemeral`: whoever is not there misses it.
 */
export type DeliveryClass = 'durable' | 'latest' | 'ephemeral';

/** What a client may send under a kind's name. */
export interface InboundRule {
  from: readonly MessageParty[];
  /** True where a watch that belongs to no child may send it. */
  allowedWhileUnbound: boolean;
}

/** What the service delivers under a kind's name. */
export interface OutboundRule {
  to: readonly MessageParty[];
  delivery: DeliveryClass;
  /** Milliseconds after which it is not delivered any more; `null` while it is kept. */
  ttl: number | null;
  /** A newer version about the same thing takes the place of one that was not delivered yet. */
  replacesOlder: boolean;
}

export interface MessageKindDefinition {
  /** False for the kinds that the interface specification (6) does not name. */
  specified: boolean;
  inbound?: InboundRule;
  outbound?: OutboundRule;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const BOTH = ['user', 'watch'] as const;

function durable(to: readonly MessageParty[], more: Partial<OutboundRule> = {}): OutboundRule {
  return { to, delivery: 'durable', ttl: null, replacesOlder: false, ...more };
}

function inbound(from: readonly MessageParty[], allowedWhileUnbound = false): InboundRule {
  return { from, allowedWhileUnbound };
}

/** A message of a conversation: either side sends it, the others and the sender's other sessions receive it. */
const chat = { specified: true, inbound: inbound(BOTH), outbound: durable(BOTH) } satisfies MessageKindDefinition;

const notice = (to: readonly MessageParty[], more: Partial<OutboundRule> = {}) => ({
  specified: true,
  outbound: durable(to, more),
});

const settingsNotice = notice(BOTH, { replacesOlder: true });

/** The 22 kinds of the interface specification (6) and three of our own, in the order of the specification. */
export const MESSAGE_KINDS = {
  HeartbeatMessage: { specified: true, inbound: inbound(BOTH, true) },
  AckMessage: { specified: true, inbound: inbound(BOTH, true), outbound: durable(BOTH, { replacesOlder: true }) },
  ChatTextMessage: chat,
  ChatVideoMessage: chat,
  ChatVoiceMessage: chat,
  ChatEmojiMessage: chat,
  ChatImageMessage: chat,
  DeviceBindStateChangeNoticeMessage: notice(BOTH),
  LocationPointChangeMessage: {
    specified: true,
    inbound: inbound(['watch']),
    outbound: { to: ['user'], delivery: 'latest', ttl: null, replacesOlder: true },
  },
  ContactsChangeNoticeMessage: notice(BOTH),
  AddFriendNoticeMessage: notice(BOTH),
  AlarmClockChangeNoticeMessage: settingsNotice,
  SchoolDisableChangeNoticeMessage: settingsNotice,
  WristwatchStartupNoticeMessage: { specified: true, inbound: inbound(['watch']), outbound: durable(['user']) },
  WristwatchShutdownNoticeMessage: { specified: true, inbound: inbound(['watch']), outbound: durable(['user']) },
  RejectStrangerChangeNoticeMessage: settingsNotice,
  MessageCenterChangeNoticeMessage: notice(['user']),
  VideoCallInNoticeMessage: notice(BOTH, { ttl: 45 * SECOND }),
  VideoCallOutNoticeMessage: notice(BOTH, { ttl: 45 * SECOND }),
  AskLocationPointNoticeMessage: notice(['watch'], { ttl: 2 * MINUTE }),
  RemoteControlShutdownNoticeMessage: notice(['watch'], { ttl: 10 * MINUTE }),
  RemoteControlRebootNoticeMessage: notice(['watch'], { ttl: 10 * MINUTE }),
  RemoteControlFindNoticeMessage: { specified: false, outbound: durable(['watch'], { ttl: 2 * MINUTE }) },
  DeviceSettingsChangeNoticeMessage: { specified: false, outbound: durable(BOTH, { replacesOlder: true }) },
  ConversationChangeNoticeMessage: { specified: false, outbound: durable(BOTH) },
} as const satisfies Record<string, MessageKindDefinition>;

export type MessageKind = keyof typeof MESSAGE_KINDS;

/** The same table for lookups by a name that may be none of the kinds. */
export const messageKindsByName: ReadonlyMap<string, MessageKindDefinition> = new Map(Object.entries(MESSAGE_KINDS));

/** Facts of a kind that the service delivers. @throws Error for one that only clients send. */
export function outboundRuleOf(kind: MessageKind): OutboundRule {
  const facts: MessageKindDefinition = MESSAGE_KINDS[kind];
  if (!facts.outbound) throw new Error(`${kind} is never sent to a client`);
  return facts.outbound;
}
