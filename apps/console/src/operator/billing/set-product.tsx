import { Alert, Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../core/errors/error-texts.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { useOperator } from '../session/use-operator.js';
import { useChange } from '../shared/use-change.js';

const GIGABYTE = 1_000_000_000;
const INITIAL_VALUES = { productId: '', title: '', amount: '', currency: 'CNY', periodDays: '30', gigabytes: '' };
type Values = typeof INITIAL_VALUES;

/** Creates a product, or replaces the one with the id. */
export function SetProduct() {
  const { t } = useTranslation('operatorBilling');
  const { client } = useOperator();
  const fieldErrors = useFieldErrors();
  const whole = (text: string) => (/^[1-9]\d{0,9}$/.test(text) ? null : t('wholeNumber'));
  const form = useForm<Values>({
    initialValues: INITIAL_VALUES,
    validate: {
      productId: (id) => (/^[\w.-]{1,64}$/.test(id) ? null : t('productIdRule')),
      title: (title) => (title.trim() === '' ? t('missing') : null),
      amount: whole,
      currency: (code) => (/^[A-Z]{3}$/.test(code) ? null : t('currencyRule')),
      periodDays: whole,
      gigabytes: (text) => (text === '' ? null : whole(text)),
    },
  });
  const set = useChange(
    ({ amount, periodDays, gigabytes, ...values }: Values) =>
      client.setProduct({
        ...values,
        amount: Number(amount),
        periodDays: Number(periodDays),
        ...(gigabytes === '' ? {} : { cloudBytes: Number(gigabytes) * GIGABYTE }),
      }),
    () => form.reset(),
  );
  const submit = (values: Values) =>
    set.mutate(values, { onError: (error) => form.setErrors(fieldErrors(error, values)) });
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2, md: 3 }}>
          <TextInput
            label={t('productId')}
            description={t('productIdHint')}
            required
            {...form.getInputProps('productId')}
          />
          <TextInput label={t('productTitle')} description={t('titleHint')} required {...form.getInputProps('title')} />
          <TextInput
            label={t('amount')}
            description={t('amountHint')}
            inputMode="numeric"
            required
            {...form.getInputProps('amount')}
          />
          <TextInput label={t('currency')} description="ISO 4217" required {...form.getInputProps('currency')} />
          <TextInput
            label={t('days')}
            description={t('daysHint')}
            inputMode="numeric"
            required
            {...form.getInputProps('periodDays')}
          />
          <TextInput
            label={t('gigabytes')}
            description={t('gigabytesHint')}
            inputMode="numeric"
            {...form.getInputProps('gigabytes')}
          />
        </SimpleGrid>
        <ErrorAlert error={set.error} />
        {set.isSuccess && (
          <Alert color="teal" variant="light" role="status">
            {t('productSaved')}
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={set.isPending}>
            {t('sell')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
