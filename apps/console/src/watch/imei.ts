/** Type allocation code of the GSM test range, so that the number is that of no real device. */
const IMEI_PREFIX = '00101';
const IMEI_LENGTH = 15;

/** Returns a random IMEI of the test range with its check digit. */
export function createImei(): string {
  const count = IMEI_LENGTH - 1 - IMEI_PREFIX.length;
  const digits = IMEI_PREFIX + Array.from(crypto.getRandomValues(new Uint8Array(count)), (byte) => byte % 10).join('');
  return `${digits}${checkDigitOf(digits)}`;
}

/** Returns the check digit by the Luhn algorithm. */
function checkDigitOf(digits: string): number {
  const sum = Array.from(digits, Number).reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return (10 - (sum % 10)) % 10;
}
