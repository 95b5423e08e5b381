import { Injectable } from '@nestjs/common';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/**
 * Scores of zxcvbn range from 0 to 4. A password with score 2 withstands a million guesses, more than the attempt
 * limits allow in decades.
 */
const MIN_SCORE = 2;
/** Only the first 64 characters are evaluated, because the cost grows faster than the length of the password. */
const MAX_EVALUATED_CHARACTERS = 64;
/** Words that attackers of this service would try first. */
const SERVICE_WORDS = ['family', 'watch', 'familywatch', 'woaini', 'password', 'admin'];

/** Rejects passwords that are common or easy to guess. */
@Injectable()
export class PasswordStrength {
  private readonly estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

  /**
   * @param words known facts about the person, such as phone number and nickname
   * @throws ServiceError PASSWORD_TOO_WEAK
   */
  assertStrong(password: string, words: readonly string[] = []): void {
    const evaluated = password.slice(0, MAX_EVALUATED_CHARACTERS);
    if (this.estimator.check(evaluated, [...SERVICE_WORDS, ...words]).score >= MIN_SCORE) return;
    const message = 'choose a longer password that is not a common word, name, date or pattern';
    throw new ServiceError('PASSWORD_TOO_WEAK', { details: [{ field: 'password', rule: 'isStrong', message }] });
  }
}
