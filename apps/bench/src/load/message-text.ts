/** Length of a message text in bytes, as the targets of the benchmarks specify. */
const TEXT_BYTES = 100;

/** Returns a text of 100 bytes that is unique to the message, so that the checker detects a wrong text. */
export function createMessageText(clientMsgId: string): string {
  return clientMsgId.padEnd(TEXT_BYTES, '.');
}

export function isTextOfMessage(text: unknown, clientMsgId: string): boolean {
  return typeof text === 'string' && text.length === TEXT_BYTES && text.startsWith(clientMsgId);
}
