/**
 * Control characters, separators of lines, and the controls that reverse or isolate the direction of the text that
 * follows: with them, a name can look like another one or change the text around it. Joiners, which many scripts and
 * emojis need, are no such characters.
 */
const MISLEADING_CHARACTER = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/**
 * Anything but white space, control characters, characters that Unicode declares invisible (joiners, fillers, selectors of
 * variants) and the empty Braille pattern.
 */
const VISIBLE_CHARACTER = /[^\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Returns a name in NFC, so that equal names have equal characters, whichever device sent them. A name without a visible
 * character is empty.
 */
export function normalizeName(name: string): string {
  return VISIBLE_CHARACTER.test(name) ? name.normalize('NFC') : '';
}

/** Returns false for a name that can be displayed as something else than it is. */
export function isDisplayable(name: string): boolean {
  return !MISLEADING_CHARACTER.test(name);
}
