const GIGABYTE = 1_000_000_000;

/** @param amount - in the minor unit of the currency */
export function formatAmount(amount: number, currency: string, language: string): string {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}

export function formatSpace(bytes: number, language: string): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'gigabyte', maximumFractionDigits: 0 }).format(
    bytes / GIGABYTE,
  );
}
