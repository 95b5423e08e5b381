import { dialledForm } from '@family-watch/domain/accounts/dto/phone-fields';
import { readPages } from '@family-watch/platform/jobs/process-rows';
import type { AccountPhone, AccountRepository } from '../accounts/account.repository.js';

const PAGE_SIZE = 1_000;

/** Two accounts of one phone number, which was stored in two forms. */
export interface PhoneTwins {
  dialled: string;
  /** Ids of the accounts: first the account with the form that the network dials. */
  userIds: [string, string];
}

/** Returns all pairs of accounts that have one phone number in two forms. */
export async function* findPhoneTwins(accounts: AccountRepository): AsyncGenerator<PhoneTwins> {
  for await (const page of readPages<AccountPhone>((after) => accounts.findPageWithForms(PAGE_SIZE, after))) {
    for (const { userId, areaCode, phoneNumber } of page) {
      const dialled = dialledForm({ areaCode, phoneNumber });
      if (dialled.phoneNumber === phoneNumber) continue;
      const twin = await accounts.findByPhone(dialled);
      if (twin && twin.userId !== userId)
        yield { dialled: dialled.areaCode + dialled.phoneNumber, userIds: [twin.userId, userId] };
    }
  }
}
