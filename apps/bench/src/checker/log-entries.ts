import type { ReceivedMessage } from './history.js';

/** Kinds of operations that clients repeat until they are acknowledged. */
export type OperationKind = 'message' | 'setting' | 'alarm' | 'location' | 'upload';

/** A file as the family cloud lists it. */
export interface ListedContent {
  contentID: string;
  name: string;
  digest: string;
}

/** Entries about chat messages and the sessions that receive them. */
type ChatEntry =
  | { kind: 'session'; session: string; principal: string; conversations: string[] }
  | { kind: 'hello'; session: string; head: number; last?: number; reset: boolean }
  | { kind: 'frame'; session: string; range?: { after: number; through: number }; messages: ReceivedMessage[] }
  | { kind: 'message-sent'; actor: string; clientMsgId: string; conversationId: string }
  | { kind: 'message-acknowledged'; clientMsgId: string; id: string; conversationSeq: number }
  | {
      kind: 'history-read';
      actor: string;
      conversationId: string;
      messages: { id: string; conversationSeq: number; clientMsgId: string }[];
    };

/** Entries about acknowledged changes over REST, and about the state that is read at the end. */
type StateEntry =
  | { kind: 'setting-changed'; setting: string; value: string; version?: number }
  | { kind: 'setting-read'; setting: string; value: string; version?: number }
  | { kind: 'alarm-created'; watch: string; label: string; alarmId: string }
  | { kind: 'alarm-deleted'; watch: string; alarmId: string }
  /** A principal was notified that the alarms of the watch have changed to this version. */
  | { kind: 'alarms-noticed'; watch: string; actor: string; version: number }
  | {
      kind: 'alarms-read';
      watch: string;
      version: number;
      /** Principals that must have been notified of this version of the alarms. */
      recipients: string[];
      alarms: { alarmId: string; label: string }[];
    }
  | { kind: 'points-stored'; child: string; times: number[] }
  | { kind: 'track-read'; child: string; times: number[] }
  | { kind: 'upload-stored'; cloud: string; content: ListedContent }
  | { kind: 'cloud-read'; cloud: string; contents: ListedContent[] }
  | { kind: 'content-read'; cloud: string; contentID: string; digest: string };

/** Entries about the run itself. */
type RunEntry =
  | { kind: 'fault'; fault: string; target: string }
  | { kind: 'process-exited'; process: string }
  | { kind: 'unfinished'; actor: string; what: string }
  | { kind: 'load-stopped' };

/** A line of the history of a fault run; `time` in Unix milliseconds. Lines are in the order of the events. */
export type LogEntry = { time: number } & (ChatEntry | StateEntry | RunEntry);
export type LogEntryWithoutTime = ChatEntry | StateEntry | RunEntry;
