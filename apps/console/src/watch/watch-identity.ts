import { createClient, enrolWatch, GatewayClient, WatchKey, watchTokenSource } from '@family-watch/client';
import type { FamilyWatchClient } from '@family-watch/client';
import { get, set } from 'idb-keyval';

const STORED_KEY = 'watch-key';
const STORED_IMEI = 'watch-imei';
/** Type allocation code of the GSM test range, so that the number is that of no real device. */
const IMEI_PREFIX = '00101';
const IMEI_LENGTH = 15;

/** An enrolled watch. */
export interface EnrolledWatch {
  readonly did: number;
  readonly client: FamilyWatchClient;
  readonly gateway: GatewayClient;
}

/**
 * Enrols the watch of this browser. The key pair is in IndexedDB and its private part cannot be exported, so that the
 * watch is the same after a reload.
 */
export async function enrolBrowserWatch(
  heartbeat: () => { battery: number; stepTotal: number },
): Promise<EnrolledWatch> {
  const url = location.origin;
  const key = await loadKey();
  const anonymous = createClient({ url });
  const claims = { imei: await loadImei(), model: 'Browser watch', firmwareVersion: '1.0.0' };
  const did = await enrolWatch(anonymous, key, claims);
  const tokens = watchTokenSource(anonymous, key, did);
  const client = createClient({ url, tokens });
  const gateway = new GatewayClient({ url, tokens, heartbeat });
  return { did, client, gateway };
}

async function loadKey(): Promise<WatchKey> {
  const stored = await get<CryptoKeyPair>(STORED_KEY);
  if (stored) return WatchKey.fromKeyPair(stored);
  const key = await WatchKey.generate();
  await set(STORED_KEY, key.keyPair);
  return key;
}

async function loadImei(): Promise<string> {
  const stored = await get<string>(STORED_IMEI);
  if (stored !== undefined) return stored;
  const imei = createImei();
  await set(STORED_IMEI, imei);
  return imei;
}

/** Returns a random IMEI of the test range with its check digit. */
function createImei(): string {
  const count = IMEI_LENGTH - 1 - IMEI_PREFIX.length;
  const digits = IMEI_PREFIX + Array.from(crypto.getRandomValues(new Uint8Array(count)), (byte) => byte % 10).join('');
  return digits + checkDigitOf(digits);
}

/** Returns the check digit by the Luhn algorithm. */
export function checkDigitOf(digits: string): number {
  const sum = Array.from(digits, Number).reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return (10 - (sum % 10)) % 10;
}
