import { hash } from 'node:crypto';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { DeliverySubject } from '@family-watch/domain/messages/contracts/message-center';
import {
  outboundRuleOf,
  type MessageEnvelope,
  type Sender,
  type MessageKind,
} from '@family-watch/domain/messages/contracts/message-kinds';

/** The place of a chat message in its conversation. Its mailbox entries refer to it and contain no payload. */
export interface ChatReference {
  conversationId: string;
  conversationSeq: number;
  /** Number of bytes of the payload's JSON text in UTF-8. */
  payloadBytes: number;
}

/** A durable message for one recipient, without a sequence number yet. */
export interface MailboxEntry extends DeliverySubject {
  recipient: PrincipalKey;
  /** UUID derived from the message's source. A mailbox stores each id at most once. */
  id: string;
  kind: MessageKind;
  /** Unix milliseconds. */
  time: number;
  expiresAt: number | null;
  from: Sender;
  did: number | null;
  /** Key by which a newer message replaces older messages, or `null` for kinds that are not replaced. */
  replaceKey: string | null;
  payload: object;
  /**
   * Session of the recipient that sent the message: the message is delivered to the recipient's other sessions only,
   * and not stored if the recipient has no other session.
   */
  exceptSession?: string;
  /** Present for a chat message, which the current transaction has stored in its conversation. */
  chat?: ChatReference;
  /** The id cannot be in any mailbox yet, because the current transaction has just inserted it under a unique key. */
  isNew?: true;
}

/** A message before it is split into one entry per recipient. */
export interface NewMessage extends DeliverySubject {
  /** Id of the event, or key of the request, that the message is created from. */
  source: string;
  kind: MessageKind;
  time: number;
  from: Sender;
  did: number | null;
  payload: object;
}

/** Creates one entry per recipient. Derives id, expiry and replace key from the kind and the source. */
export function toMailboxEntries(recipients: readonly PrincipalKey[], message: NewMessage): MailboxEntry[] {
  const { ttl, replacesOlder } = outboundRuleOf(message.kind);
  const { source, ...content } = message;
  const common = {
    ...content,
    id: deriveMessageId(`${source}:${message.kind}`),
    expiresAt: ttl === null ? null : message.time + ttl,
    replaceKey: replacesOlder ? `${message.kind}:${message.cid ?? message.did ?? ''}` : null,
  };
  return [...new Set(recipients)].map((recipient) => ({ ...common, recipient }));
}

/** A stored message and the data that decides whether it may be delivered. */
export interface StoredMessage {
  envelope: MessageEnvelope & { seq: number };
  subject: DeliverySubject;
  /** Session of the recipient that must not get the message, or `null` for nearly all messages. */
  exceptSession: string | null;
  /** Unix milliseconds from which the message is not delivered any more, or `null` if the message never expires. */
  expiresAt: number | null;
  /** Number of bytes of the payload's JSON text in UTF-8. */
  bytes: number;
}

/** What a mailbox contains about a message that its owner reports on. */
export interface ReportedMessage {
  id: string;
  kind: MessageKind;
  did: number | null;
  cid: string | null;
  payload: object;
}

/** Messages that one commit added to a mailbox: all with sequence numbers after `after`, up to `head`. */
export interface MailboxAppend {
  principal: PrincipalKey;
  after: number;
  head: number;
  messages: readonly StoredMessage[];
}

/** The reader of a mailbox, which is one session of its principal. */
export interface MailboxSession {
  readonly key: PrincipalKey;
  readonly session: string;
}

/** Durable messages that follow the previous range, up to sequence number `addedThrough`. */
export interface DurableRange {
  addedThrough: number;
  messages: MessageEnvelope[];
}

/** Returns the entry as a stored message with sequence number `seq`, whose payload has `bytes` bytes of JSON text. */
export function toStoredMessage(entry: MailboxEntry, seq: number, bytes: number): StoredMessage {
  const { id, kind, time, from, did, cid, familyId, audience, payload, expiresAt, exceptSession = null } = entry;
  const envelope: StoredMessage['envelope'] = { id, kind, seq, time, from, payload };
  if (did !== null) envelope.did = did;
  if (cid !== null) envelope.cid = cid;
  return { envelope, subject: { familyId, cid, audience }, exceptSession, expiresAt, bytes };
}

const UUID_VARIANT_DIGITS = '89ab';

/**
 * Derives a message id from `source`. The same source always yields the same id, so a repeated event or request cannot
 * create a second message. UUID version 8 (RFC 9562, 5.8).
 */
export function deriveMessageId(source: string): string {
  const hex = hash('sha256', source);
  const variant = UUID_VARIANT_DIGITS[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
