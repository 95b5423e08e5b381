import type { AllowedNumber } from '@family-watch/domain/watch-settings/contracts/stranger-rule';

/** A call that the watch let through. A call without an area code matches allowances by the number alone. */
export interface AllowedCall {
  areaCode: string | null;
  phoneNumber: string | null;
}

/** Returns the one-time allowances that the calls used. Each call uses one allowance, the oldest first. */
export function findUsedAllowances(calls: readonly AllowedCall[], allowed: readonly AllowedNumber[]): AllowedNumber[] {
  return calls.reduce<AllowedNumber[]>((used, call) => {
    const found = allowed.find((number) => number.once && !used.includes(number) && matchesNumber(call, number));
    return found ? [...used, found] : used;
  }, []);
}

function matchesNumber({ areaCode, phoneNumber }: AllowedCall, number: AllowedNumber): boolean {
  return phoneNumber === number.phoneNumber && (areaCode === null || areaCode === number.areaCode);
}
