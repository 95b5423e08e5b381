import { Group, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import type { ChangeEvent } from 'react';
import { useTranslation } from 'react-i18next';

/** Characters with which people write phone numbers. */
const SEPARATORS = /[\s().\-/]/g;

interface PhoneFieldProps {
  /** Label of the number. */
  label: string;
  getInputProps: (field: 'areaCode' | 'phoneNumber') => GetInputPropsReturnType;
  /** Whether it is the number of the person who types, which the browser may know. */
  isOwn?: boolean;
}

/**
 * Country code and phone number of a form, without the spaces and hyphens with which people write them. The number may
 * begin with the country code again, as phones copy it.
 */
export function PhoneField({ label, getInputProps, isOwn = false }: PhoneFieldProps) {
  const { t } = useTranslation('phoneField');
  const { value: areaCode } = getInputProps('areaCode') as { value: string };
  const withoutCode = (number: string) =>
    areaCode.startsWith('+') && number.startsWith(areaCode) ? number.slice(areaCode.length) : number;
  const inputProps = (field: 'areaCode' | 'phoneNumber') => {
    const props = getInputProps(field);
    const change = props.onChange as (value: string) => void;
    return {
      ...props,
      type: 'tel',
      required: true,
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        const text = event.currentTarget.value.replaceAll(SEPARATORS, '');
        change(field === 'phoneNumber' ? withoutCode(text) : text);
      },
    };
  };
  return (
    <Group gap="sm" align="start" wrap="nowrap">
      <TextInput
        w={110}
        flex="none"
        label={t('areaCode')}
        autoComplete={isOwn ? 'tel-country-code' : 'off'}
        {...inputProps('areaCode')}
      />
      <TextInput flex={1} label={label} autoComplete={isOwn ? 'tel-national' : 'off'} {...inputProps('phoneNumber')} />
    </Group>
  );
}
