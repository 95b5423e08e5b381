// Step 8 of docs/from-change-to-socket.md: rows and numbers per recipient.
import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Audience } from '@family-watch/domain/messages/contracts/message-center';
import type { Sender } from '@family-watch/domain/messages/contracts/message-kinds';
import { bigintArray, jsonArray, textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import { GatewayUnitOfWork } from '../infrastructure/gateway-infrastructure.js';
import {
  toStoredMessage,
  type ChatReference,
  type MailboxEntry,
  type MailboxAppend,
  type ReportedMessage,
  type StoredMessage,
} from './mailbox-entry.js';
import {
  ESTIMATE_MAILBOXES,
  FIND_HEADS,
  FIND_MESSAGE,
  FIND_PRINCIPALS_WITH_MESSAGES_BEFORE,
  FIND_STORED_ENTRIES,
  FIND_WITH_OTHER_SESSIONS,
  INSERT_MISSING_HEADS,
  LOCK_HEADS,
  PRUNE_MAILBOXES,
  READ_RANGES,
  STORE_ENTRIES,
  WITHDRAW_MESSAGES,
  WITHDRAW_VOICE_MESSAGES,
} from './mailbox.sql.js';

/** The highest sequence number of a mailbox. */
export interface MailboxHead {
  principal: PrincipalKey;
  head: number;
}

/** What all mailboxes contain, estimated from a sample of the connections. */
export interface MailboxEstimate {
  stored: number;
  unacknowledged: number;
  /** Unix milliseconds; null if every client of the sample has acknowledged all messages. */
  oldest: number | null;
}

export interface RangeRequest {
  principal: PrincipalKey;
  after: number;
  through: number;
}

interface MessageRow extends ReportedMessage {
  request: number;
  seq: number;
  time: number;
  sender_type: Sender['type'];
  sender_id: string;
  family_id: string | null;
  audience: Audience;
  except_session: string | null;
  expires_at: number | null;
  bytes: number;
}

const MAX_CACHED_HEADS = 100_000;

/**
 * Stores the numbered messages of each principal, in plain SQL instead of ORM entities. Entries of chat messages refer to
 * the message in its conversation; all other entries contain their message. Only the transaction that has locked the
 * head of a mailbox may add messages to the mailbox.
 */
@Injectable()
export class MailboxRepository {
  /** Cache of principals whose head rows exist. */
  private readonly principalsWithHead = new Set<PrincipalKey>();

  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Numbers and stores entries in the current transaction; entries that the recipient already has are skipped. Locks
   * the recipients' heads in the order of their principals, so it must be called only once per transaction, as the last
   * step.
   */
  async store(entries: readonly MailboxEntry[]): Promise<MailboxAppend[]> {
    if (entries.length === 0) return [];
    const sequencer = new MailboxSequencer(await this.lockHeads(entries.map(({ recipient }) => recipient)));
    const storedKeys = await this.findStored(entries.filter(({ isNew }) => !isNew));
    const withOtherSessions = await this.findWithOtherSessions(entries);
    const seen = new Set<string>();
    for (const entry of entries) {
      const { recipient, id, isNew, exceptSession } = entry;
      if (exceptSession !== undefined && !withOtherSessions.has(recipient)) continue;
      const key = isNew ? undefined : `${recipient} ${id}`;
      if (key !== undefined && (storedKeys.has(key) || seen.has(key))) continue;
      if (key !== undefined) seen.add(key);
      sequencer.add(entry);
    }
    const appends = sequencer.appends();
    if (appends.length > 0) await this.unitOfWork.executor.query(STORE_ENTRIES, sequencer.toColumnArrays(appends));
    return appends;
  }

  /**
   * Empties messages in the current transaction: they keep their sequence numbers, but have no content and are delivered
   * no more; what a client has already received stays there. An entry that refers to a recalled or deleted chat message has
   * no content of its own. `ids` are UUIDs.
   */
  async withdraw(recipients: readonly PrincipalKey[], ids: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query(WITHDRAW_MESSAGES, [recipients, ids]);
  }

  /**
   * Locks these mailboxes against new messages until the end of the current transaction, ordered by principal, and
   * returns their heads. Missing heads are inserted first: a transaction that has locked one head and then waits for
   * the insertion of another head could deadlock.
   */
  async lockHeads(principals: readonly PrincipalKey[]): Promise<Map<PrincipalKey, number>> {
    const keys = [...new Set(principals)];
    if (!keys.every((key) => this.principalsWithHead.has(key))) await this.insertMissingHeads(keys);
    const locked = await this.unitOfWork.executor.query<MailboxHead>(LOCK_HEADS, [textArray(keys)]);
    if (locked.length < keys.length) {
      // Head rows were deleted after they were cached: a retry of the request inserts the rows again.
      this.principalsWithHead.clear();
      throw new Error(`${keys.length - locked.length} mailbox heads are missing`);
    }
    return new Map(locked.map(({ principal, head }) => [principal, head]));
  }

  /**
   * Returns the deliverable messages of several ranges, at most `limit` of each, in the order of the requests. Expired
   * messages, and messages that a newer one has replaced, are omitted.
   */
  async readRanges(requests: readonly RangeRequest[], now: number, limit: number): Promise<StoredMessage[][]> {
    const rows = await this.unitOfWork.executor.query<MessageRow>(READ_RANGES, [
      requests.map((_, index) => index),
      requests.map(({ principal }) => principal),
      requests.map(({ after }) => after),
      requests.map(({ through }) => through),
      now,
      limit,
    ]);
    const ranges: StoredMessage[][] = requests.map(() => []);
    for (const row of rows) ranges[row.request]?.push(parseMessageRow(row));
    return ranges;
  }

  /** Returns the heads of the mailboxes; a mailbox that never received a message is omitted. */
  findHeads(principals: readonly PrincipalKey[]): Promise<MailboxHead[]> {
    return this.unitOfWork.executor.query<MailboxHead>(FIND_HEADS, [principals]);
  }

  /**
   * Returns the message with this id, a UUID, if it is in the mailbox of the principal, or a chat message of one of the
   * principal's conversations.
   */
  async findMessage(principal: PrincipalKey, id: string): Promise<ReportedMessage | undefined> {
    return (await this.unitOfWork.executor.query<ReportedMessage>(FIND_MESSAGE, [principal, id]))[0];
  }

  /** Returns principals that have messages older than `before` (Unix milliseconds). */
  async findPrincipalsWithMessagesBefore(before: number, limit: number): Promise<PrincipalKey[]> {
    const rows = await this.unitOfWork.executor.query<{ principal: PrincipalKey }>(
      FIND_PRINCIPALS_WITH_MESSAGES_BEFORE,
      [before, limit],
    );
    return rows.map(({ principal }) => principal);
  }

  /**
   * Deletes the content of voice messages older than `before`, at most `limit`, that an older build has stored in
   * mailboxes. Returns their number.
   */
  async withdrawVoiceMessages(before: number, limit: number): Promise<number> {
    return (await this.unitOfWork.executor.query(WITHDRAW_VOICE_MESSAGES, [before, limit])).length;
  }

  /** Deletes messages older than `before` and records the highest deleted number, in the current transaction. */
  async prune(principals: readonly PrincipalKey[], before: number): Promise<void> {
    await this.lockHeads(principals);
    await this.unitOfWork.executor.query(PRUNE_MAILBOXES, [principals, before]);
  }

  private async insertMissingHeads(keys: readonly PrincipalKey[]): Promise<void> {
    await this.unitOfWork.executor.query(INSERT_MISSING_HEADS, [textArray(keys)]);
    this.unitOfWork.afterCommit(() => {
      if (this.principalsWithHead.size > MAX_CACHED_HEADS) this.principalsWithHead.clear();
      for (const key of keys) this.principalsWithHead.add(key);
    });
  }

  /** Returns the entries that are already stored, as `<recipient> <id>`. */
  private async findStored(entries: readonly MailboxEntry[]): Promise<Set<string>> {
    if (entries.length === 0) return new Set();
    const stored = await this.unitOfWork.executor.query<{ principal: PrincipalKey; id: string }>(FIND_STORED_ENTRIES, [
      textArray(entries.map(({ recipient }) => recipient)),
      uuidArray(entries.map(({ id }) => id)),
    ]);
    return new Set(stored.map(({ principal, id }) => `${principal} ${id}`));
  }

  /** Returns the recipients that have a session other than the session that their entry excludes. */
  private async findWithOtherSessions(entries: readonly MailboxEntry[]): Promise<Set<PrincipalKey>> {
    const excludedSessions = new Map(
      entries.flatMap(({ recipient, exceptSession }) => (exceptSession ? [[recipient, exceptSession]] : [])),
    );
    if (excludedSessions.size === 0) return new Set();
    const found = await this.unitOfWork.executor.query<{ principal: PrincipalKey }>(FIND_WITH_OTHER_SESSIONS, [
      textArray([...excludedSessions.keys()]),
      textArray([...excludedSessions.values()]),
    ]);
    return new Set(found.map(({ principal }) => principal));
  }

  async estimate(): Promise<MailboxEstimate | undefined> {
    const [estimate] = await this.unitOfWork.executor.query<MailboxEstimate>(ESTIMATE_MAILBOXES);
    return estimate;
  }
}

function parseMessageRow(row: MessageRow): StoredMessage {
  const { seq, id, kind, time, did, cid, payload } = row;
  return {
    envelope: {
      id,
      kind,
      seq,
      time,
      from: { type: row.sender_type, id: row.sender_id },
      ...(did === null ? {} : { did }),
      ...(cid === null ? {} : { cid }),
      payload,
    },
    subject: { familyId: row.family_id, cid, audience: row.audience },
    exceptSession: row.except_session,
    expiresAt: row.expires_at,
    bytes: row.bytes,
  };
}

/** An entry with its sequence number in the recipient's mailbox. */
interface NumberedEntry {
  entry: MailboxEntry;
  seq: number;
  /** JSON text. */
  payload: string;
}

interface NumberedChatEntry {
  entry: MailboxEntry;
  seq: number;
  chat: ChatReference;
}

/** Assigns sequence numbers to new entries, starting after the heads of their recipients' mailboxes. */
class MailboxSequencer {
  private readonly numberedEntries: NumberedEntry[] = [];
  private readonly numberedChatEntries: NumberedChatEntry[] = [];
  private readonly appendsByRecipient = new Map<PrincipalKey, { after: number; messages: StoredMessage[] }>();
  private lastPayload: { value: object; text: string } | undefined;

  constructor(private readonly heads: ReadonlyMap<PrincipalKey, number>) {}

  add(entry: MailboxEntry): void {
    const { recipient, chat } = entry;
    const appended = this.appendsByRecipient.get(recipient) ?? { after: this.heads.get(recipient) ?? 0, messages: [] };
    const seq = appended.after + appended.messages.length + 1;
    if (chat) {
      this.numberedChatEntries.push({ entry, seq, chat });
      appended.messages.push(toStoredMessage(entry, seq, chat.payloadBytes));
    } else {
      const payload = this.serializePayload(entry.payload);
      this.numberedEntries.push({ entry, seq, payload });
      appended.messages.push(toStoredMessage(entry, seq, Buffer.byteLength(payload)));
    }
    this.appendsByRecipient.set(recipient, appended);
  }

  appends(): MailboxAppend[] {
    return [...this.appendsByRecipient].map(([principal, { after, messages }]) => ({
      principal,
      after,
      head: after + messages.length,
      messages,
    }));
  }

  /**
   * Returns the parameters of {@link STORE_ENTRIES}: one array per column. `appends` is the result of {@link appends}.
   */
  toColumnArrays(appends: readonly MailboxAppend[]): Buffer[] {
    const { numberedEntries, numberedChatEntries } = this;
    return [
      textArray(numberedEntries.map(({ entry }) => entry.recipient)),
      bigintArray(numberedEntries.map(({ seq }) => seq)),
      uuidArray(numberedEntries.map(({ entry }) => entry.id)),
      textArray(numberedEntries.map(({ entry }) => entry.kind)),
      bigintArray(numberedEntries.map(({ entry }) => entry.time)),
      bigintArray(numberedEntries.map(({ entry }) => entry.expiresAt)),
      textArray(numberedEntries.map(({ entry }) => entry.from.type)),
      textArray(numberedEntries.map(({ entry }) => entry.from.id)),
      bigintArray(numberedEntries.map(({ entry }) => entry.did)),
      textArray(numberedEntries.map(({ entry }) => entry.cid)),
      textArray(numberedEntries.map(({ entry }) => entry.familyId)),
      textArray(numberedEntries.map(({ entry }) => entry.audience)),
      textArray(numberedEntries.map(({ entry }) => entry.replaceKey)),
      jsonArray(numberedEntries.map(({ payload }) => payload)),
      textArray(numberedEntries.map(({ entry }) => entry.exceptSession ?? null)),
      textArray(numberedChatEntries.map(({ entry }) => entry.recipient)),
      bigintArray(numberedChatEntries.map(({ seq }) => seq)),
      uuidArray(numberedChatEntries.map(({ chat }) => chat.conversationId)),
      bigintArray(numberedChatEntries.map(({ chat }) => chat.conversationSeq)),
      bigintArray(numberedChatEntries.map(({ entry }) => entry.time)),
      textArray(numberedChatEntries.map(({ entry }) => entry.exceptSession ?? null)),
      textArray(appends.map(({ principal }) => principal)),
      bigintArray(appends.map(({ head }) => head)),
    ];
  }

  /** Returns the payload as JSON text. Consecutive entries with the same payload share one serialization. */
  private serializePayload(payload: object): string {
    if (this.lastPayload?.value !== payload) this.lastPayload = { value: payload, text: JSON.stringify(payload) };
    return this.lastPayload.text;
  }
}
