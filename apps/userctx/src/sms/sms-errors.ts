/** No provider can send an SMS to this phone number; a further attempt would fail too. */
export class SmsRejectedError extends Error {
  override readonly name = 'SmsRejectedError';

  constructor(readonly code: string) {
    super('The SMS was rejected');
  }
}

/** No provider has accepted the SMS; a later attempt may succeed. */
export class SmsUnavailableError extends Error {
  override readonly name = 'SmsUnavailableError';

  constructor(readonly code: string) {
    super('The SMS could not be sent');
  }
}
