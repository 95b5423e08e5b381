import { isImei } from '@family-watch/domain/watches/contracts/watch';

/** Prefix for test equipment (3GPP TS 23.003, 6.2.1): no sold device has such an IMEI. */
const TEST_PREFIX = '00101234';

/** Returns a random, well-formed IMEI of test equipment. */
export function randomImei(): string {
  const serial = String(Math.floor(Math.random() * 1_000_000)).padStart(6, '0');
  const imei = Array.from({ length: 10 }, (_, check) => `${TEST_PREFIX}${serial}${check}`).find(isImei);
  if (!imei) throw new Error('No check digit found');
  return imei;
}
