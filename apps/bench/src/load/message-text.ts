/** Bytes of a message's text, as the goals have it. */
const TEXT_BYTES = 100;

/** A text of 100 bytes that only this message has, so that the wrong one is noticed. */
export function textOf(clientMsgId: string): string {
  return clientMsgId.padEnd(TEXT_BYTES, '.');
}

export function isTextOf(text: unknown, clientMsgId: string): boolean {
  return typeof text === 'string' && text.length === TEXT_BYTES && text.startsWith(clientMsgId);
}
