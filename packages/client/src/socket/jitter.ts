/** Returns `milliseconds` plus or minus up to 25 %, so that clients do not reconnect simultaneously. */
export function withJitter(milliseconds: number): number {
  return milliseconds * (0.75 + Math.random() * 0.5);
}
