import type { Schema } from '@family-watch/client';

type Members = Pick<Schema<'ConversationMemberDto'>, 'userId' | 'deliveredSeq' | 'readSeq'>[];

/** How far an own message has come. `readers` counts the members who have read it, `others` all other members. */
export interface Receipt {
  readonly status: 'sent' | 'delivered' | 'read';
  readonly readers: number;
  readonly others: number;
}

/** Returns the receipt of a message that the person has sent. In a group, it is read when one member has read it. */
export function findReceipt(conversationSeq: number, members: Members, userId: string): Receipt {
  const others = members.filter((member) => member.userId !== userId);
  const readers = others.filter(({ readSeq }) => readSeq >= conversationSeq).length;
  const isDelivered = others.some(({ deliveredSeq }) => deliveredSeq >= conversationSeq);
  const status = readers > 0 ? 'read' : isDelivered ? 'delivered' : 'sent';
  return { status, readers, others: others.length };
}
