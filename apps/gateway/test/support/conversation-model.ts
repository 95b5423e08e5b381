/** Members of the modelled conversation, a family group. */
export const MEMBERS = ['owner', 'guardian', 'watch'] as const;
export type Member = (typeof MEMBERS)[number];

/** Sessions of the members, and the node each is connected to. */
export const SESSIONS = {
  ownerPhone: { member: 'owner', node: 0 },
  ownerTablet: { member: 'owner', node: 1 },
  guardianPhone: { member: 'guardian', node: 1 },
  watch: { member: 'watch', node: 0 },
} as const satisfies Record<string, { member: Member; node: number }>;
export type SessionName = keyof typeof SESSIONS;
export const SESSION_NAMES = Object.keys(SESSIONS) as SessionName[];

interface ModelMessage {
  seq: number;
  id: string;
  sender: Member;
  session: SessionName;
  recalled: boolean;
  /** Members who joined before the message was sent and have not left: the message must be delivered to all of them. */
  expectedRecipients: Set<Member>;
}

/** Reference model of a conversation. */
export class ConversationModel {
  readonly messages: ModelMessage[] = [];
  readonly messagesByKey = new Map<string, ModelMessage>();
  readonly currentMembers = new Set<Member>(MEMBERS);
  readonly joinedAt: Record<Member, number> = { owner: 0, guardian: 0, watch: 0 };
  readonly readUpTo: Record<Member, number> = { owner: 0, guardian: 0, watch: 0 };

  /**
   * Returns the message that was created with this `clientMsgId`; creates it if it does not exist. `id` comes from the
   * gateway's response.
   */
  send(session: SessionName, clientMsgId: string, id: string): ModelMessage {
    const sender = SESSIONS[session].member;
    const key = `${sender}:${clientMsgId}`;
    const existing = this.messagesByKey.get(key);
    if (existing) return existing;
    const seq = this.messages.length + 1;
    const message = { seq, id, sender, session, recalled: false, expectedRecipients: new Set(this.currentMembers) };
    this.messages.push(message);
    this.messagesByKey.set(key, message);
    return message;
  }

  markRead(member: Member, seq: number): void {
    this.readUpTo[member] = Math.max(this.readUpTo[member], seq);
  }

  leave(member: Member): void {
    this.currentMembers.delete(member);
    for (const message of this.messages) message.expectedRecipients.delete(member);
  }

  rejoin(member: Member): void {
    this.currentMembers.add(member);
    this.joinedAt[member] = this.messages.length;
    this.readUpTo[member] = Math.max(this.readUpTo[member], this.messages.length);
  }

  visibleTo(member: Member): ModelMessage[] {
    return this.messages.filter(({ seq }) => seq > this.joinedAt[member]);
  }

  countUnread(member: Member): number {
    return this.visibleTo(member).filter(
      ({ seq, sender, recalled }) => seq > this.readUpTo[member] && sender !== member && !recalled,
    ).length;
  }

  /** Returns the sequence numbers that must have been delivered to this session, and those that may have been. */
  expectedDeliveries(session: SessionName): { required: number[]; allowed: Set<number> } {
    const { member } = SESSIONS[session];
    const others = this.messages.filter((message) => message.session !== session);
    // A watch has a single session and does not receive its own messages.
    const receivable = others.filter(({ sender }) => sender !== member || member !== 'watch');
    const required = receivable
      .filter(({ expectedRecipients, recalled }) => expectedRecipients.has(member) && !recalled)
      .map(({ seq }) => seq);
    return { required, allowed: new Set(receivable.map(({ seq }) => seq)) };
  }
}
