import { checkHistory } from './check-history.js';
import type { GuaranteeViolation, History, SentMessage, SessionHistory, ViolationKind } from './history.js';
import type { ListedContent, LogEntry, OperationKind } from './log-entries.js';

/** A fault and the longest time after it in which no operation of a kind was acknowledged. */
export interface FaultEffect {
  fault: string;
  target: string;
  /** By kind of operation: the longest time without an acknowledgement after the fault, milliseconds. */
  unavailableMs: Partial<Record<OperationKind, number>>;
}

export interface LogCheck {
  violations: GuaranteeViolation[];
  /** Number of acknowledged operations. */
  acknowledged: Record<OperationKind, number>;
  faults: FaultEffect[];
}

const OPERATION_OF_ENTRY: Partial<Record<LogEntry['kind'], OperationKind>> = {
  'message-acknowledged': 'message',
  'setting-changed': 'setting',
  'alarm-created': 'alarm',
  'points-stored': 'location',
  'upload-stored': 'upload',
};

/**
 * Checks the history of a fault run: everything that the service acknowledged must exist exactly once, in the order of
 * the acknowledgements. The last entries must contain the data that the clients read from the service after all
 * operations had ended.
 */
export function checkLog(entries: Iterable<LogEntry>): LogCheck {
  const check = new RunCheck();
  for (const entry of entries) check.add(entry);
  return check.finish();
}

/** Collects the entries of a run and checks them against the acknowledged operations. */
class RunCheck {
  private readonly violations: GuaranteeViolation[] = [];
  /** Sent messages by `clientMsgId`. */
  private readonly sent = new Map<string, SentMessage>();
  private readonly sessions = new Map<string, SessionHistory>();
  private readonly historyReads: Extract<LogEntry, { kind: 'history-read' }>[] = [];
  /** The last acknowledged value and version of each setting. */
  private readonly settings = new Map<string, { value: string; version: number }>();
  /** By watch: the labels of the alarms that were created and not deleted, by alarm id. */
  private readonly alarms = new Map<string, Map<string, string>>();
  /** By watch and principal: the highest version of the alarm clocks of the watch in a notice to the principal. */
  private readonly noticedVersions = new Map<string, Map<string, number>>();
  /** By child: the times of the acknowledged location points. */
  private readonly points = new Map<string, Set<number>>();
  /** By cloud: the acknowledged files, by content id. */
  private readonly contents = new Map<string, Map<string, ListedContent>>();
  private readonly acknowledged: LogCheck['acknowledged'] = {
    message: 0,
    setting: 0,
    alarm: 0,
    location: 0,
    upload: 0,
  };
  /** Names of the data that were read at the end of the run, for example `settings of <watch>`. */
  private readonly readData = new Set<string>();
  private readonly unavailability = new UnavailabilityMeter();

  add(entry: LogEntry): void {
    const operation = OPERATION_OF_ENTRY[entry.kind];
    if (operation) {
      this.acknowledged[operation] += 1;
      this.unavailability.onAcknowledged(operation, entry.time);
    }
    switch (entry.kind) {
      case 'session': {
        const { session, principal, conversations } = entry;
        this.sessions.set(session, { session, principal, conversations, events: [] });
        break;
      }
      case 'hello':
      case 'frame': {
        const { time: _time, session, kind: type, ...rest } = entry;
        this.sessions.get(session)?.events.push({ type, ...rest } as SessionHistory['events'][number]);
        break;
      }
      case 'message-sent': {
        const { actor: sender, clientMsgId, conversationId } = entry;
        this.sent.set(clientMsgId, { sender, clientMsgId, conversationId, acknowledgements: [] });
        break;
      }
      case 'message-acknowledged': {
        const { id, conversationSeq } = entry;
        this.sent.get(entry.clientMsgId)?.acknowledgements.push({ id, conversationSeq });
        break;
      }
      case 'history-read':
        this.historyReads.push(entry);
        break;
      case 'setting-changed':
        this.changeSetting(entry);
        break;
      case 'setting-read':
        this.checkSetting(entry);
        break;
      case 'alarm-created':
        getOrCreate(this.alarms, entry.watch, () => new Map<string, string>()).set(entry.alarmId, entry.label);
        break;
      case 'alarm-deleted':
        this.alarms.get(entry.watch)?.delete(entry.alarmId);
        break;
      case 'alarms-noticed': {
        const versions = getOrCreate(this.noticedVersions, entry.watch, () => new Map<string, number>());
        versions.set(entry.actor, Math.max(versions.get(entry.actor) ?? 0, entry.version));
        break;
      }
      case 'alarms-read':
        this.checkNotices(entry);
        this.checkAlarms(entry.watch, entry.alarms);
        break;
      case 'points-stored':
        for (const time of entry.times) getOrCreate(this.points, entry.child, () => new Set<number>()).add(time);
        break;
      case 'track-read':
        this.checkTrack(entry.child, entry.times);
        break;
      case 'upload-stored': {
        const cloud = getOrCreate(this.contents, entry.cloud, () => new Map<string, ListedContent>());
        cloud.set(entry.content.contentID, entry.content);
        break;
      }
      case 'cloud-read':
        this.checkCloud(entry.cloud, entry.contents);
        break;
      case 'content-read':
        this.readData.add(`bytes of ${entry.contentID}`);
        if (this.contents.get(entry.cloud)?.get(entry.contentID)?.digest !== entry.digest)
          this.report('forged', entry.cloud, `${entry.contentID} has other bytes than the upload`);
        break;
      case 'fault':
        this.unavailability.onFault(entry);
        break;
      case 'load-stopped':
        this.unavailability.onLoadStopped(entry.time);
        break;
      case 'process-exited':
        this.report('exit', entry.process, 'the process ended by itself');
        break;
      case 'unfinished':
        this.report('unfinished', entry.actor, entry.what);
        break;
    }
  }

  /** Completes the check. Must be called after the last entry. */
  finish(): LogCheck {
    const history: History = { sent: [...this.sent.values()], sessions: [...this.sessions.values()] };
    this.violations.push(...checkHistory(history));
    this.checkOrderOfSending(history.sent);
    for (const entry of this.historyReads) this.checkConversation(entry);
    this.checkCompleteness();
    this.checkNotEmpty();
    const { violations, acknowledged } = this;
    return { violations, acknowledged, faults: this.unavailability.faults };
  }

  /** Reports data that the service acknowledged but that were not read at the end of the run. */
  private checkCompleteness(): void {
    const contentIds = [...this.contents.values()].flatMap((contents) => [...contents.keys()]);
    const expected = [
      ...[...this.settings.keys()].map((setting) => `settings of ${setting}`),
      ...[...this.alarms.keys()].map((watch) => `alarms of ${watch}`),
      ...[...this.points.keys()].map((child) => `points of ${child}`),
      ...[...this.contents.keys()].map((cloud) => `contents of ${cloud}`),
      ...contentIds.map((contentId) => `bytes of ${contentId}`),
    ];
    for (const what of expected) if (!this.readData.has(what)) this.report('lost', what, 'not read at the end');
  }

  /** Reports a run without load or without faults, because such a run proves nothing about the service. */
  private checkNotEmpty(): void {
    if (this.unavailability.faults.length === 0) this.report('empty', 'faults', 'no fault was injected');
    for (const [operation, count] of Object.entries(this.acknowledged))
      if (count === 0) this.report('empty', operation, 'no operation was acknowledged');
  }

  private report(kind: ViolationKind, source: string, what: string): void {
    this.violations.push({ kind, source, what });
  }

  /**
   * Checks that sequence numbers follow the order of sending, because a client sends its next message to a conversation
   * only after the acknowledgement of the previous message.
   */
  private checkOrderOfSending(sent: readonly SentMessage[]): void {
    const lastSeqs = new Map<string, number>();
    for (const { sender, conversationId, clientMsgId, acknowledgements } of sent) {
      const key = `${sender}/${conversationId}`;
      const seq = acknowledgements[0]?.conversationSeq;
      if (seq === undefined) continue;
      if (seq <= (lastSeqs.get(key) ?? 0))
        this.report('order', sender, `${clientMsgId} is stored before an earlier message of ${conversationId}`);
      lastSeqs.set(key, seq);
    }
  }

  private checkConversation({ actor, conversationId, messages }: (typeof this.historyReads)[number]): void {
    const source = `history of ${conversationId} for ${actor}`;
    const seqs = new Map<string, number>();
    for (const { id, conversationSeq, clientMsgId } of messages) {
      if (this.sent.get(clientMsgId)?.conversationId !== conversationId)
        this.report('forged', source, `${clientMsgId} was not sent`);
      if (seqs.has(clientMsgId)) this.report('duplicate', source, `${clientMsgId} is listed twice`);
      seqs.set(clientMsgId, conversationSeq);
      const acknowledgement = this.sent.get(clientMsgId)?.acknowledgements[0];
      if (acknowledgement && (acknowledgement.id !== id || acknowledgement.conversationSeq !== conversationSeq))
        this.report('disagreement', source, `${clientMsgId} is acknowledged with another id or number`);
    }
    for (const { clientMsgId, conversationId: sentTo, acknowledgements } of this.sent.values()) {
      if (sentTo === conversationId && acknowledgements.length > 0 && !seqs.has(clientMsgId))
        this.report('lost', source, `${clientMsgId} was acknowledged but is not listed`);
    }
  }

  private changeSetting({ setting, value, version = 0 }: Extract<LogEntry, { kind: 'setting-changed' }>): void {
    const before = this.settings.get(setting);
    if (before && version < before.version)
      this.report('order', setting, `version ${version} was acknowledged after version ${before.version}`);
    this.settings.set(setting, { value, version });
  }

  private checkSetting({ setting, value, version = 0 }: Extract<LogEntry, { kind: 'setting-read' }>): void {
    this.readData.add(`settings of ${setting}`);
    const last = this.settings.get(setting);
    if (!last) return;
    if (value !== last.value) this.report('lost', setting, `the value is ${value}, ${last.value} was acknowledged`);
    if (version < last.version)
      this.report('lost', setting, `the version is ${version}, ${last.version} was acknowledged`);
  }

  private checkNotices({ watch, version, recipients }: Extract<LogEntry, { kind: 'alarms-read' }>): void {
    for (const recipient of recipients) {
      const noticed = this.noticedVersions.get(watch)?.get(recipient) ?? 0;
      if (noticed < version)
        this.report('lost', recipient, `notified of version ${noticed} of the alarms of ${watch}, not of ${version}`);
    }
  }

  private checkAlarms(watch: string, alarms: readonly { alarmId: string; label: string }[]): void {
    this.readData.add(`alarms of ${watch}`);
    const expected = this.alarms.get(watch) ?? new Map<string, string>();
    const labels = new Set<string>();
    for (const { alarmId, label } of alarms) {
      if (labels.has(label)) this.report('duplicate', watch, `alarm ${label} exists twice`);
      else if (!expected.has(alarmId)) this.report('forged', watch, `alarm ${label} was deleted or never created`);
      labels.add(label);
    }
    for (const label of expected.values()) if (!labels.has(label)) this.report('lost', watch, `alarm ${label}`);
  }

  private checkTrack(child: string, times: readonly number[]): void {
    this.readData.add(`points of ${child}`);
    const found = new Set<number>();
    for (const time of times) {
      if (found.has(time)) this.report('duplicate', child, `the point of ${time} is stored twice`);
      found.add(time);
    }
    for (const time of this.points.get(child) ?? [])
      if (!found.has(time)) this.report('lost', child, `the point of ${time} was acknowledged but is not in the track`);
  }

  private checkCloud(cloud: string, contents: readonly ListedContent[]): void {
    this.readData.add(`contents of ${cloud}`);
    const expected = this.contents.get(cloud) ?? new Map<string, ListedContent>();
    const names = new Set<string>();
    for (const { contentID, name, digest } of contents) {
      if (names.has(name)) this.report('duplicate', cloud, `${name} is listed twice`);
      names.add(name);
      const stored = expected.get(contentID);
      if (stored && stored.digest !== digest) this.report('forged', cloud, `${name} has another digest`);
    }
    const ids = new Set(contents.map(({ contentID }) => contentID));
    for (const { contentID, name } of expected.values())
      if (!ids.has(contentID)) this.report('lost', cloud, `${name} was acknowledged but is not listed`);
  }
}

/** Measures how long no operation of a kind was acknowledged after each fault. */
class UnavailabilityMeter {
  readonly faults: FaultEffect[] = [];
  private readonly lastAcknowledgedAt = new Map<OperationKind, number>();

  onFault({ time, fault, target }: Extract<LogEntry, { kind: 'fault' }>): void {
    this.onLoadStopped(time);
    this.faults.push({ fault, target, unavailableMs: {} });
    for (const operation of this.lastAcknowledgedAt.keys()) this.lastAcknowledgedAt.set(operation, time);
  }

  onAcknowledged(operation: OperationKind, time: number): void {
    const current = this.faults.at(-1);
    const last = this.lastAcknowledgedAt.get(operation);
    this.lastAcknowledgedAt.set(operation, time);
    if (!current || last === undefined) return;
    current.unavailableMs[operation] = Math.max(current.unavailableMs[operation] ?? 0, time - last);
  }

  /** Ends the measurement of the current fault. */
  onLoadStopped(time: number): void {
    for (const operation of this.lastAcknowledgedAt.keys()) this.onAcknowledged(operation, time);
  }
}

function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
