/**
 * Decodes base64url without padding, strictly: exactly one text is accepted for the same bytes. The decoder of Node.js
 * also accepts other alphabets, other characters, and other values of the unused bits of the last character.
 */
export function decodeBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
