import { Group, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import type { ChangeEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { withoutAreaCode, withoutSeparators } from './phone-number.js';

interface PhoneFieldProps {
  /** Label of the number. */
  label: string;
  getInputProps: (field: 'areaCode' | 'phoneNumber') => GetInputPropsReturnType;
  /** Whether it is the number of the person who types, which the browser may know. */
  isOwn?: boolean;
}

/** Country code and phone number of a form, in the forms in which people write and phones copy them. */
export function PhoneField({ label, getInputProps, isOwn = false }: PhoneFieldProps) {
  const { t } = useTranslation('phoneField');
  const fieldOf = (field: 'areaCode' | 'phoneNumber') =>
    getInputProps(field) as { value: string; onChange: (value: string) => void };
  const [areaCode, phoneNumber] = [fieldOf('areaCode'), fieldOf('phoneNumber')];
  const textOf = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => withoutSeparators(currentTarget.value);
  const common = { type: 'tel', required: true };
  return (
    <Group gap="sm" align="start" wrap="nowrap">
      <TextInput
        w={110}
        flex="none"
        label={t('areaCode')}
        autoComplete={isOwn ? 'tel-country-code' : 'off'}
        {...common}
        {...areaCode}
        onChange={(event) => {
          const text = textOf(event);
          areaCode.onChange(text);
          const rest = withoutAreaCode(phoneNumber.value, text);
          if (rest !== phoneNumber.value) phoneNumber.onChange(rest);
        }}
      />
      <TextInput
        flex={1}
        label={label}
        autoComplete={isOwn ? 'tel-national' : 'off'}
        {...common}
        {...phoneNumber}
        onChange={(event) => phoneNumber.onChange(withoutAreaCode(textOf(event), areaCode.value))}
      />
    </Group>
  );
}
