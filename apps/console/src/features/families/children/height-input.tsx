import { NumberInput, type NumberInputProps } from '@mantine/core';

/** The specification bounds the height at 100 to 200 and names no unit; these are centimetres of a schoolchild. */
const RANGE_CM = { min: 100, max: 200 };

/** The height of a child. */
export function HeightInput(props: NumberInputProps) {
  return <NumberInput required allowDecimal={false} {...RANGE_CM} {...props} />;
}
