import { isImei } from '@family-watch/domain/watches/contracts/imei';

/** Test equipment (3GPP TS 23.003, 6.2.1): no sold device has an IMEI that begins like this. */
const TEST_PREFIX = '00101234';

/** A well-formed IMEI that belongs to nobody. */
export function randomImei(): string {
  const serial = String(Math.floor(Math.random() * 1_000_000)).padStart(6, '0');
  const imei = Array.from({ length: 10 }, (_, check) => `${TEST_PREFIX}${serial}${check}`).find(isImei);
  if (!imei) throw new Error('Every 14 digits have a check digit');
  return imei;
}
