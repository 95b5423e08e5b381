import { renderUnicodeCompact } from 'uqr';

/** Returns the lines of a QR code for a phone to scan; none if the output is not a terminal but a file or a program. */
export function terminalQrCode(text: string): string {
  return process.stdout.isTTY ? `\n${renderUnicodeCompact(text, { border: 2 })}\n` : '';
}
