import { NumberInput } from '@mantine/core';
import type { NumberInputProps } from '@mantine/core';

/** The specification bounds height and weight at 100 to 200 and names no unit. */
const SIZE_RANGE = { min: 100, max: 200 };

/** Height or weight of a child. */
export function SizeInput(props: NumberInputProps) {
  return <NumberInput required allowDecimal={false} {...SIZE_RANGE} {...props} />;
}
