import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { MessageEnvelope, Sender } from '@family-watch/domain/messages/contracts/envelope';
import { outboundRuleOf } from '@family-watch/domain/messages/contracts/message-kinds';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import { deriveMessageId } from '../../protocol/message-id.js';
import type { DeliverySubject } from '../../protocol/delivery-access.js';

/** A durable message for one recipient, before it has a number. */
export interface MailboxEntry extends DeliverySubject {
  recipient: PrincipalKey;
  /** UUID made from what the message was made from; a recipient gets each once. */
  id: string;
  kind: MessageKind;
  /** Unix milliseconds. */
  time: number;
  expiresAt: number | null;
  from: Sender;
  did: number | null;
  /** What it is the newest version of, for kinds whose newer messages replace older ones. */
  replaceKey: string | null;
  payload: object;
  /**
   * The recipient's own session that the message comes from: it is delivered to the others only, and not stored at
   * all if there is no other.
   */
  exceptSession?: string;
  /** The id cannot be in any mailbox yet: the open unit of work has just stored it under a unique key. */
  isNew?: true;
}

/** A message as it is said once, to all of its recipients. */
export interface NewMessage extends DeliverySubject {
  /** Id of the event or key of the request that it comes from. */
  source: string;
  kind: MessageKind;
  time: number;
  from: Sender;
  did: number | null;
  payload: object;
}

/** One entry per recipient; id, time to live and what it replaces follow from the kind and the source. */
export function toMailboxEntries(recipients: readonly PrincipalKey[], message: NewMessage): MailboxEntry[] {
  const { ttl, replacesOlder } = outboundRuleOf(message.kind);
  const { source, ...said } = message;
  const common = {
    ...said,
    id: deriveMessageId(`${source}:${message.kind}`),
    expiresAt: ttl === null ? null : message.time + ttl,
    replaceKey: replacesOlder ? `${message.kind}:${message.cid ?? message.did ?? ''}` : null,
  };
  return [...new Set(recipients)].map((recipient) => ({ ...common, recipient }));
}

/** A stored message with what decides whether it may be delivered. */
export interface StoredMessage {
  envelope: MessageEnvelope & { seq: number };
  subject: DeliverySubject;
  /** Session of the recipient that it is not delivered to; `null` for nearly all messages. */
  exceptSession: string | null;
  /** Unix milliseconds from which on it is not delivered any more; `null` for never. */
  expiresAt: number | null;
  /** Size of the payload's text. */
  bytes: number;
}

/** What one commit has added to a mailbox: everything after number `after`, up to `head`. */
export interface MailboxAppend {
  principal: PrincipalKey;
  after: number;
  head: number;
  messages: readonly StoredMessage[];
}

/** The entry as it is delivered under number `seq`; `bytes` is the size of its payload's text. */
export function toStoredMessage(entry: MailboxEntry, seq: number, bytes: number): StoredMessage {
  const { id, kind, time, from, did, cid, familyId, audience, payload, expiresAt, exceptSession = null } = entry;
  const envelope: StoredMessage['envelope'] = { id, kind, seq, time, from, payload };
  if (did !== null) envelope.did = did;
  if (cid !== null) envelope.cid = cid;
  return { envelope, subject: { familyId, cid, audience }, exceptSession, expiresAt, bytes };
}
