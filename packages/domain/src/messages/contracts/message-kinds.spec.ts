import { describe, expect, test } from '@jest/globals';
import { PAYLOAD_CLASSES } from '../dto/payload-classes.js';
import { MESSAGE_KINDS, messageKindsByName, outboundRuleOf, type MessageKind } from './message-kinds.js';

/** The message kinds in the order of section 6 of the interface specification. */
const SPECIFIED_KINDS = `
  HeartbeatMessage AckMessage ChatTextMessage ChatVideoMessage ChatVoiceMessage ChatEmojiMessage ChatImageMessage
  DeviceBindStateChangeNoticeMessage LocationPointChangeMessage ContactsChangeNoticeMessage AddFriendNoticeMessage
  AlarmClockChangeNoticeMessage SchoolDisableChangeNoticeMessage WristwatchStartupNoticeMessage
  WristwatchShutdownNoticeMessage RejectStrangerChangeNoticeMessage MessageCenterChangeNoticeMessage
  VideoCallInNoticeMessage VideoCallOutNoticeMessage AskLocationPointNoticeMessage
  RemoteControlShutdownNoticeMessage RemoteControlRebootNoticeMessage`
  .trim()
  .split(/\s+/);

describe('MESSAGE_KINDS', () => {
  test('contains the 22 kinds of the specification, and three kinds that are marked as not specified', () => {
    const specified = [...messageKindsByName].filter(([, definition]) => definition.isSpecified).map(([kind]) => kind);
    expect(specified).toEqual(SPECIFIED_KINDS);
    expect([...messageKindsByName.keys()].filter((kind) => !SPECIFIED_KINDS.includes(kind))).toEqual([
      'RemoteControlFindNoticeMessage',
      'DeviceSettingsChangeNoticeMessage',
      'ConversationChangeNoticeMessage',
    ]);
  });

  test('defines at least one direction, inbound or outbound, for each kind', () => {
    for (const { inbound, outbound } of messageKindsByName.values()) expect(inbound ?? outbound).toBeDefined();
  });

  test('allows an unbound watch to send only heartbeats and acknowledgements', () => {
    const allowedKinds = [...messageKindsByName]
      .filter(([, { inbound }]) => inbound?.allowedWhileUnbound)
      .map(([kind]) => kind);
    expect(allowedKinds).toEqual(['HeartbeatMessage', 'AckMessage']);
  });

  test('defines a rule of the same direction for each inbound or outbound payload class', () => {
    for (const [kind, classes] of Object.entries(PAYLOAD_CLASSES)) {
      const definition = messageKindsByName.get(kind);
      if (classes.inbound) expect(definition?.inbound).toBeDefined();
      if (classes.outbound) expect(definition?.outbound).toBeDefined();
    }
  });

  test.each<[MessageKind, number | null]>([
    ['VideoCallInNoticeMessage', 45_000],
    ['AskLocationPointNoticeMessage', 120_000],
    ['RemoteControlRebootNoticeMessage', 600_000],
    ['ChatTextMessage', null],
  ])('defines the TTL of the kind %s as %p ms', (kind, ttl) => {
    expect(outboundRuleOf(kind).ttl).toBe(ttl);
  });

  test('outboundRuleOf throws for a kind that only clients send', () => {
    expect(() => outboundRuleOf('HeartbeatMessage')).toThrow('never sent');
    expect(MESSAGE_KINDS.HeartbeatMessage).not.toHaveProperty('outbound');
  });
});
