/** `milliseconds` give or take a quarter, so that many clients do not come at the same moment. */
export function withJitter(milliseconds: number): number {
  return milliseconds * (0.75 + Math.random() * 0.5);
}
