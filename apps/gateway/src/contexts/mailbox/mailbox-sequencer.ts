import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { bigintArray, jsonArray, textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import { toStoredMessage } from './mailbox-entry.js';
import type { MailboxEntry, MailboxAppend, StoredMessage } from './mailbox-entry.js';

/** An entry with its number in the recipient's mailbox and the text of its payload. */
interface NumberedEntry {
  entry: MailboxEntry;
  seq: number;
  payload: string;
}

/** Entries that are about to be stored, numbered on from the heads of their recipients' mailboxes. */
export class MailboxSequencer {
  private readonly numbered: NumberedEntry[] = [];
  private readonly growths = new Map<PrincipalKey, { after: number; messages: StoredMessage[] }>();
  private lastPayload: { value: object; text: string } | undefined;

  constructor(private readonly heads: ReadonlyMap<PrincipalKey, number>) {}

  add(entry: MailboxEntry): void {
    const { recipient } = entry;
    const grown = this.growths.get(recipient) ?? { after: this.heads.get(recipient) ?? 0, messages: [] };
    const seq = grown.after + grown.messages.length + 1;
    const payload = this.textOf(entry.payload);
    grown.messages.push(toStoredMessage(entry, seq, payload.length));
    this.growths.set(recipient, grown);
    this.numbered.push({ entry, seq, payload });
  }

  appends(): MailboxAppend[] {
    return [...this.growths].map(([principal, { after, messages }]) => ({
      principal,
      after,
      head: after + messages.length,
      messages,
    }));
  }

  /** One array per column, as {@link STORE_ENTRIES} takes them; `growths` are those of {@link appends}. */
  columns(growths: readonly MailboxAppend[]): Buffer[] {
    const { numbered } = this;
    return [
      textArray(numbered.map(({ entry }) => entry.recipient)),
      bigintArray(numbered.map(({ seq }) => seq)),
      uuidArray(numbered.map(({ entry }) => entry.id)),
      textArray(numbered.map(({ entry }) => entry.kind)),
      bigintArray(numbered.map(({ entry }) => entry.time)),
      bigintArray(numbered.map(({ entry }) => entry.expiresAt)),
      textArray(numbered.map(({ entry }) => entry.from.type)),
      textArray(numbered.map(({ entry }) => entry.from.id)),
      bigintArray(numbered.map(({ entry }) => entry.did)),
      textArray(numbered.map(({ entry }) => entry.cid)),
      textArray(numbered.map(({ entry }) => entry.familyId)),
      textArray(numbered.map(({ entry }) => entry.audience)),
      textArray(numbered.map(({ entry }) => entry.replaceKey)),
      jsonArray(numbered.map(({ payload }) => payload)),
      textArray(numbered.map(({ entry }) => entry.exceptSession ?? null)),
      textArray(growths.map(({ principal }) => principal)),
      bigintArray(growths.map(({ head }) => head)),
    ];
  }

  /** A message for many recipients is written as text once. */
  private textOf(payload: object): string {
    if (this.lastPayload?.value !== payload) this.lastPayload = { value: payload, text: JSON.stringify(payload) };
    return this.lastPayload.text;
  }
}

/** Stores numbered entries and moves the heads, which the unit of work has locked. */
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
  UPDATE gateway.mailbox_head AS mailbox SET head = grown.head
  FROM unnest($16::text[], $17::bigint[]) AS grown (principal, head)
  WHERE mailbox.principal = grown.principal`;
