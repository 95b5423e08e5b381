import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { PasswordStrength } from './password-strength.js';

describe('PasswordStrength', () => {
  const strength = new PasswordStrength();

  it.each([
    '12345678',
    '123456789',
    'password',
    'Passw0rd!',
    'qwertyuiop',
    'iloveyou1',
    'aaaaaaaaaaaa',
    'familywatch1',
    'abcd1234',
    '20150601',
  ])('rejects the weak password %s', (password) => {
    expect(() => strength.assertStrong(password)).toThrow(new ServiceError('PASSWORD_TOO_WEAK'));
  });

  it('rejects the phone number and the nickname of the person as passwords', () => {
    expect(() => strength.assertStrong('13912345678', ['13912345678'])).toThrow();
    expect(() => strength.assertStrong('Bartholomaeus', ['Bartholomaeus'])).toThrow();
  });

  it.each(['zebra-piano-41-rain', 'correct horse battery', 'k7#mQz9w', 'x'.repeat(20) + 'Kü7-blau'])(
    'accepts the strong password %s',
    (password) => {
      expect(() => strength.assertStrong(password)).not.toThrow();
    },
  );
});
