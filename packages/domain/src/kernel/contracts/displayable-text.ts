/**
 * Control characters, separators of lines, and the controls that reverse or isolate the direction of the text that
 * follows: with them, a name can look like another one or change the text around it. Joiners, which many scripts and
 * emojis need, are no such characters.
 */
const MISLEADING_CHARACTER = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Returns false for a name that can be displayed as something else than it is. */
export function isDisplayable(name: string): boolean {
  return !MISLEADING_CHARACTER.test(name);
}
