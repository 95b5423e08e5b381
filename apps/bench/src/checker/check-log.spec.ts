import { describe, expect, test } from '@jest/globals';
import { checkLog } from './check-log.js';
import type { ReceivedMessage } from './history.js';
import type { LogEntry, LogEntryWithoutTime } from './log-entries.js';

const SENDER = 'user:sender';
const READER = 'watch:1';
const MESSAGE_NUMBERS = [1, 2, 3];

const idOf = (number: number) => ({ id: `id-${number}`, conversationSeq: number });
const createReceivedMessage = (number: number): ReceivedMessage => ({
  ...idOf(number),
  seq: number,
  conversationId: 'c',
  clientMsgId: `m-${number}`,
  isTextIntact: true,
});
const createContent = (number: number) => ({
  contentID: `f-${number}`,
  name: `file ${number}`,
  digest: `digest ${number}`,
});

/** Returns the history of a run without a violation: all kinds of operations, and the state read at the end. */
function validEntries(): LogEntryWithoutTime[] {
  const frame = (session: string): LogEntryWithoutTime => ({
    kind: 'frame',
    session,
    range: { after: 0, through: 3 },
    messages: MESSAGE_NUMBERS.map(createReceivedMessage),
  });
  return [
    { kind: 'session', session: READER, principal: READER, conversations: ['c'] },
    { kind: 'hello', session: READER, head: 0, reset: false },
    ...MESSAGE_NUMBERS.flatMap((number): LogEntryWithoutTime[] => [
      { kind: 'message-sent', actor: SENDER, clientMsgId: `m-${number}`, conversationId: 'c' },
      { kind: 'message-acknowledged', clientMsgId: `m-${number}`, ...idOf(number) },
      { kind: 'setting-changed', setting: 's', value: `v-${number}`, version: number },
      { kind: 'alarm-created', watch: READER, label: `alarm ${number}`, alarmId: `a-${number}` },
      { kind: 'points-stored', child: 'child', times: [10 * number, 10 * number + 1] },
      { kind: 'upload-stored', cloud: 'cloud', content: createContent(number) },
    ]),
    { kind: 'fault', fault: 'NATS killed', target: '1.0 s' },
    { kind: 'alarm-deleted', watch: READER, alarmId: 'a-1' },
    { kind: 'alarms-noticed', watch: READER, actor: READER, version: 3 },
    frame(READER),
    { kind: 'session', session: 'replay', principal: READER, conversations: ['c'] },
    { kind: 'hello', session: 'replay', head: 3, last: 0, reset: false },
    frame('replay'),
    {
      kind: 'history-read',
      actor: READER,
      conversationId: 'c',
      messages: MESSAGE_NUMBERS.toReversed().map((number) => ({ ...idOf(number), clientMsgId: `m-${number}` })),
    },
    { kind: 'setting-read', setting: 's', value: 'v-3', version: 3 },
    {
      kind: 'alarms-read',
      watch: READER,
      version: 3,
      recipients: [READER],
      alarms: [2, 3].map((number) => ({ alarmId: `a-${number}`, label: `alarm ${number}` })),
    },
    { kind: 'track-read', child: 'child', times: MESSAGE_NUMBERS.flatMap((number) => [10 * number, 10 * number + 1]) },
    { kind: 'cloud-read', cloud: 'cloud', contents: MESSAGE_NUMBERS.map(createContent) },
    ...MESSAGE_NUMBERS.map((number): LogEntryWithoutTime => {
      const { contentID, digest } = createContent(number);
      return { kind: 'content-read', cloud: 'cloud', contentID, digest };
    }),
  ];
}

const checkEntries = (entries: readonly LogEntryWithoutTime[]) =>
  checkLog(entries.map((entry, index): LogEntry => ({ time: 1_000 * index, ...entry })));

/** Returns the first entry of a kind. */
function entryOf<Kind extends LogEntryWithoutTime['kind']>(entries: LogEntryWithoutTime[], kind: Kind) {
  return entries.find((entry) => entry.kind === kind) as Extract<LogEntryWithoutTime, { kind: Kind }>;
}

function removeLast(entries: LogEntryWithoutTime[], kind: LogEntryWithoutTime['kind']): void {
  entries.splice(
    entries.findLastIndex((entry) => entry.kind === kind),
    1,
  );
}

test('checkLog finds no violation in a valid history and counts the operations', () => {
  const { violations, acknowledged } = checkEntries(validEntries());
  expect(violations).toEqual([]);
  expect(acknowledged).toEqual({ message: 3, setting: 3, alarm: 3, location: 3, upload: 3 });
});

test('checkLog does not expect a principal to receive its own messages', () => {
  const entries = validEntries();
  entries.push({ kind: 'session', session: SENDER, principal: SENDER, conversations: ['c'] });
  expect(checkEntries(entries).violations).toEqual([]);
});

test('checkLog measures the longest time without an acknowledgement after each fault', () => {
  const point: LogEntryWithoutTime = { kind: 'points-stored', child: 'child', times: [1] };
  const fault: LogEntryWithoutTime = { kind: 'fault', fault: 'NATS killed', target: 'NATS' };
  const read: LogEntryWithoutTime = { kind: 'track-read', child: 'child', times: [1] };
  const timed: [number, LogEntryWithoutTime][] = [
    [0, point],
    [4_000, fault],
    [7_000, point],
    [9_000, point],
    [10_000, fault],
    [11_000, { kind: 'load-stopped' }],
    [99_000, read],
  ];
  const { faults } = checkLog(timed.map(([time, entry]): LogEntry => ({ time, ...entry })));
  expect(faults.map(({ unavailableMs }) => unavailableMs)).toEqual([{ location: 3_000 }, { location: 1_000 }]);
});

test('checkLog reports "empty" for a log without faults and for each kind of operation without entries', () => {
  const found = checkEntries([]).violations.map(({ kind, source }) => [kind, source]);
  expect(found).toEqual(['faults', 'message', 'setting', 'alarm', 'location', 'upload'].map((what) => ['empty', what]));
});

describe('checkLog with a planted violation', () => {
  const plant = (condition: string, kinds: string[], change: (entries: LogEntryWithoutTime[]) => unknown) =>
    test(`reports ${kinds.join(' and ')} when ${condition}`, () => {
      const entries = validEntries();
      change(entries);
      expect([...new Set(checkEntries(entries).violations.map(({ kind }) => kind))]).toEqual(kinds);
    });

  plant('an acknowledged message is not delivered', ['lost'], (entries) => entryOf(entries, 'frame').messages.pop());
  plant('an acknowledged message is not in the history', ['lost'], (entries) =>
    entryOf(entries, 'history-read').messages.shift(),
  );
  plant('the history lists a message twice', ['duplicate', 'disagreement'], (entries) =>
    entryOf(entries, 'history-read').messages.push({ id: 'id-4', conversationSeq: 4, clientMsgId: 'm-3' }),
  );
  plant('a later message of the sender has an earlier number', ['order'], (entries) => {
    for (const entry of entries) {
      if (entry.kind !== 'message-sent' && entry.kind !== 'message-acknowledged') continue;
      const number = 4 - Number(entry.clientMsgId.slice(-1));
      entry.clientMsgId = `m-${number}`;
      if (entry.kind === 'message-acknowledged') Object.assign(entry, idOf(number));
    }
  });
  plant('two sessions of a principal have different numbers for a message', ['disagreement'], (entries) => {
    const [, replay] = entries.filter((entry) => entry.kind === 'frame');
    Object.assign(replay!, { range: { after: 0, through: 4 } });
    replay!.messages[2]!.seq = 4;
  });
  plant('the history contains a message that was not sent', ['forged'], (entries) =>
    entryOf(entries, 'history-read').messages.push({ id: 'id-9', conversationSeq: 9, clientMsgId: 'm-9' }),
  );
  plant('a setting has an earlier value', ['lost'], (entries) => {
    entryOf(entries, 'setting-read').value = 'v-2';
  });
  plant('a setting has an earlier version', ['lost'], (entries) => {
    entryOf(entries, 'setting-read').version = 2;
  });
  plant('the version of a setting decreases', ['order'], (entries) => {
    entryOf(entries, 'setting-changed').version = 3;
  });
  plant('the settings were not read', ['lost'], (entries) => removeLast(entries, 'setting-read'));
  plant('a recipient is not notified of the last version', ['lost'], (entries) => {
    entryOf(entries, 'alarms-noticed').version = 2;
  });
  plant('an alarm is missing', ['lost'], (entries) => entryOf(entries, 'alarms-read').alarms.pop());
  plant('an alarm exists twice', ['duplicate'], (entries) =>
    entryOf(entries, 'alarms-read').alarms.push({ alarmId: 'a-9', label: 'alarm 3' }),
  );
  plant('a deleted alarm exists', ['forged'], (entries) =>
    entryOf(entries, 'alarms-read').alarms.push({ alarmId: 'a-1', label: 'alarm 1' }),
  );
  plant('a location point is missing', ['lost'], (entries) => entryOf(entries, 'track-read').times.pop());
  plant('a location point is stored twice', ['duplicate'], (entries) => entryOf(entries, 'track-read').times.push(10));
  plant('an acknowledged file is not listed', ['lost'], (entries) => entryOf(entries, 'cloud-read').contents.pop());
  plant('an acknowledged file has no bytes', ['lost'], (entries) => removeLast(entries, 'content-read'));
  plant('a file is listed twice', ['duplicate'], (entries) =>
    entryOf(entries, 'cloud-read').contents.push({ ...createContent(3), contentID: 'f-9' }),
  );
  plant('a file is listed with another digest', ['forged'], (entries) => {
    entryOf(entries, 'cloud-read').contents[0]!.digest = 'other';
  });
  plant('a file has other bytes', ['forged'], (entries) => {
    entryOf(entries, 'content-read').digest = 'other';
  });
  plant('an operation was never acknowledged', ['unfinished'], (entries) =>
    entries.push({ kind: 'unfinished', actor: 'uploads', what: 'Error' }),
  );
  plant('a process ended by itself', ['exit'], (entries) =>
    entries.push({ kind: 'process-exited', process: 'mcdisk' }),
  );
});
