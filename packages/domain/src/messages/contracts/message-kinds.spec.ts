import { describe, expect, test } from '@jest/globals';
import { PAYLOAD_CLASSES } from '../dto/payload-classes.js';
import { MESSAGE_KINDS, messageKindsByName, outboundRuleOf } from './message-kinds.js';
import type { MessageKind } from './message-kinds.js';

/** Section 6 of the interface specification, word for word. */
const SPECIFIED = `
  HeartbeatMessage AckMessage ChatTextMessage ChatVideoMessage ChatVoiceMessage ChatEmojiMessage ChatImageMessage
  DeviceBindStateChangeNoticeMessage LocationPointChangeMessage ContactsChangeNoticeMessage AddFriendNoticeMessage
  AlarmClockChangeNoticeMessage SchoolDisableChangeNoticeMessage WristwatchStartupNoticeMessage
  WristwatchShutdownNoticeMessage RejectStrangerChangeNoticeMessage MessageCenterChangeNoticeMessage
  VideoCallInNoticeMessage VideoCallOutNoticeMessage AskLocationPointNoticeMessage
  RemoteControlShutdownNoticeMessage RemoteControlRebootNoticeMessage`
  .trim()
  .split(/\s+/);

describe('the table of kinds', () => {
  test('holds the 22 kinds of the specification, and ours are marked', () => {
    const specified = [...messageKindsByName].filter(([, facts]) => facts.specified).map(([kind]) => kind);
    expect(specified).toEqual(SPECIFIED);
    expect([...messageKindsByName.keys()].filter((kind) => !SPECIFIED.includes(kind))).toEqual([
      'RemoteControlFindNoticeMessage',
      'DeviceSettingsChangeNoticeMessage',
      'ConversationChangeNoticeMessage',
    ]);
  });

  test('has a direction for each kind', () => {
    for (const facts of messageKindsByName.values()) expect(facts.inbound ?? facts.outbound).toBeDefined();
  });

  test('lets an unbound watch heartbeat and acknowledge only', () => {
    const open = [...messageKindsByName]
      .filter(([, { inbound }]) => inbound?.allowedWhileUnbound)
      .map(([kind]) => kind);
    expect(open).toEqual(['HeartbeatMessage', 'AckMessage']);
  });

  test('gives payload classes only to directions that a kind has', () => {
    for (const [kind, classes] of Object.entries(PAYLOAD_CLASSES)) {
      const facts = messageKindsByName.get(kind);
      if (classes.inbound) expect(facts?.inbound).toBeDefined();
      if (classes.outbound) expect(facts?.outbound).toBeDefined();
    }
  });

  test.each<[MessageKind, number | null]>([
    ['VideoCallInNoticeMessage', 45_000],
    ['AskLocationPointNoticeMessage', 120_000],
    ['RemoteControlRebootNoticeMessage', 600_000],
    ['ChatTextMessage', null],
  ])('%s lives %p ms', (kind, ttl) => {
    expect(outboundRuleOf(kind).ttl).toBe(ttl);
  });

  test('refuses to deliver what only clients send', () => {
    expect(() => outboundRuleOf('HeartbeatMessage')).toThrow('never sent');
    expect(MESSAGE_KINDS.HeartbeatMessage).not.toHaveProperty('outbound');
  });
});
