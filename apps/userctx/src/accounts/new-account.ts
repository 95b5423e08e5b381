import { randomInt, randomUUID } from 'node:crypto';
import { dialledForm } from '@family-watch/domain/accounts/dto/phone-fields';
import type { Phone } from '@family-watch/domain/accounts/contracts/account';
import type { AccountEntity } from '@family-watch/domain/accounts/entities/account.entities';

/** Time zone of new accounts. The phone numbers of the specification are those of mainland China. */
const DEFAULT_TIME_ZONE = 'Asia/Shanghai';

/** Returns a new account, which is not stored yet. */
export function createAccount(
  phone: Phone,
  passwordHash: string | null,
  { nickname, timeZone }: { nickname?: string; timeZone?: string },
): AccountEntity {
  const now = Date.now();
  return {
    userId: randomUUID(),
    ...dialledForm(phone),
    // Other members see the nickname, so it does not contain digits of the phone number.
    nickname: nickname ?? `User ${randomInt(1_000, 10_000)}`,
    avatar: null,
    timeZone: timeZone ?? DEFAULT_TIME_ZONE,
    passwordHash,
    credentialVersion: 1,
    suspendedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
