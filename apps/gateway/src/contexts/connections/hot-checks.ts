/**
 * A check by hand of what a busy client sends all the time; the class's rules cost 15 to 20 microseconds more. It
 * gives the payload's own fields, nothing else, exactly where the payload class would accept them, and `undefined`
 * otherwise: the class's rules then say what is wrong. Each is held against its class by a property test.
 */
export type HotCheck = (payload: unknown) => object | undefined;

/** By event. */
export const HOT_CHECKS: ReadonlyMap<string, HotCheck> = new Map<string, HotCheck>();
