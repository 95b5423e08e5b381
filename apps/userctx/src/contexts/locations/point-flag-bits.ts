import { NON_CREDIBLE_FLAGS, POINT_FLAG } from '@family-watch/domain/locations/contracts/location';
import type { PointFlag } from '@family-watch/domain/locations/contracts/location';

/** The bit that represents each flag in the database. The meaning of a bit never changes. */
const FLAG_BITS: Readonly<Record<PointFlag, number>> = {
  [POINT_FLAG.FUTURE]: 1,
  [POINT_FLAG.LATE]: 2,
  [POINT_FLAG.IMPOSSIBLE_SPEED]: 4,
  [POINT_FLAG.POOR_ACCURACY]: 8,
  [POINT_FLAG.REPORTED_WRONG]: 16,
};

/** Bits of the flags that make a point not credible. */
export const NON_CREDIBLE_BITS = toBits(NON_CREDIBLE_FLAGS);

export function toBits(flags: readonly PointFlag[]): number {
  return flags.reduce((bits, flag) => bits | FLAG_BITS[flag], 0);
}

export function fromBits(bits: number): PointFlag[] {
  return Object.values(POINT_FLAG).filter((flag) => (bits & FLAG_BITS[flag]) !== 0);
}
