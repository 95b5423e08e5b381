/** Characters with which people and phones group digits: spaces, dashes and brackets, and invisible format characters. */
const SEPARATORS = /[\s().\-/\p{Pd}\p{Cf}]/gu;

/**
 * Returns a typed or copied number or code without separators and with ASCII digits: `123456` for `123 456`, `１２３-４５６`
 * and `١٢٣٤٥٦`. Other characters remain.
 */
export function toAsciiDigits(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(SEPARATORS, '')
    .replaceAll(/\p{Nd}/gu, (digit) => String(decimalValueOf(digit)));
}

/** Returns the value of a decimal digit: in Unicode, the ten digits of a script follow each other. */
function decimalValueOf(digit: string): number {
  const codePoint = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(codePoint - value - 1))) value += 1;
  return value;
}
