import { Injectable } from '@nestjs/common';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/** zxcvbn's scale goes from 0 to 4; 2 withstands a million guesses, more than the limits allow in decades. */
const MIN_SCORE = 2;
/** Its cost grows faster than the length; what the first 64 characters give is enough. */
const JUDGED_CHARACTERS = 64;
/** What everybody would try here first. */
const WORDS_OF_THE_HOUSE = ['family', 'watch', 'familywatch', 'woaini', 'password', 'admin'];

/** Refuses passwords that are common or easily guessed. */
@Injectable()
export class PasswordStrength {
  private readonly judge = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

  /**
   * @param words what is known of the person, such as phone number and nickname
   * @throws ServiceError PASSWORD_TOO_WEAK
   */
  assertStrong(password: string, words: readonly string[] = []): void {
    const judged = password.slice(0, JUDGED_CHARACTERS);
    if (this.judge.check(judged, [...WORDS_OF_THE_HOUSE, ...words]).score >= MIN_SCORE) return;
    const message = 'choose a longer password that is not a common word, name, date or pattern';
    throw new ServiceError('PASSWORD_TOO_WEAK', { details: [{ field: 'password', rule: 'isStrong', message }] });
  }
}
