import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { bigintArray, jsonArray, textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import { toStoredMessage } from './mailbox-entry.js';
import type { MailboxEntry, MailboxAppend, StoredMessage } from './mailbox-entry.js';

/** An entry with its sequence number in the recipient's mailbox and its payload as JSON text. */
interface NumberedEntry {
  entry: MailboxEntry;
  seq: number;
  payload: string;
}

/** Assigns sequence numbers to new entries, starting after the heads of their recipients' mailboxes. */
export class MailboxSequencer {
  private readonly numberedEntries: NumberedEntry[] = [];
  private readonly appendsByRecipient = new Map<PrincipalKey, { after: number; messages: StoredMessage[] }>();
  private lastPayload: { value: object; text: string } | undefined;

  constructor(private readonly heads: ReadonlyMap<PrincipalKey, number>) {}

  add(entry: MailboxEntry): void {
    const { recipient } = entry;
    const appended = this.appendsByRecipient.get(recipient) ?? { after: this.heads.get(recipient) ?? 0, messages: [] };
    const seq = appended.after + appended.messages.length + 1;
    const payload = this.serializePayload(entry.payload);
    appended.messages.push(toStoredMessage(entry, seq, payload.length));
    this.appendsByRecipient.set(recipient, appended);
    this.numberedEntries.push({ entry, seq, payload });
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
    const { numberedEntries } = this;
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

/** Stores numbered entries and updates the mailbox heads, which the current transaction must have locked. */
export const STORE_ENTRIES = `
  WITH stored AS (
    INSERT INTO gateway.mailbox_message (
      principal, seq, id, kind, time, expires_at, sender_type, sender_id,
      did, cid, family_id, audience, replace_key, payload, except_session
    )
    SELECT * FROM unnest(
      $1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::text[],
      $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::json[], $15::text[]
    )
  )
  UPDATE gateway.mailbox_head AS mailbox SET head = appended.head
  FROM unnest($16::text[], $17::bigint[]) AS appended (principal, head)
  WHERE mailbox.principal = appended.principal`;
