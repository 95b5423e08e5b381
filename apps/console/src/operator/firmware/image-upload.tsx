import { Alert, Button, FileInput, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../core/errors/error-texts.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { useOperator } from '../session/use-operator.js';
import { useChange } from '../shared/use-change.js';
import { isSignature, uploadImage, type ImageFiles } from './upload-image.js';

interface Values {
  model: string;
  version: string;
  keyId: string;
  image: File | null;
  signature: File | null;
}

const INITIAL_VALUES: Values = { model: '', version: '', keyId: '', image: null, signature: null };

/** Uploads an image with the signature that was made elsewhere: the service never has the key. */
export function ImageUpload() {
  const { t } = useTranslation('operatorFirmware');
  const session = useOperator();
  const fieldErrors = useFieldErrors();
  const required = (value: unknown) => (value ? null : t('missing'));
  const form = useForm<Values>({
    initialValues: INITIAL_VALUES,
    validate: {
      model: required,
      version: required,
      keyId: required,
      image: required,
      signature: (file) => required(file) ?? (file && isSignature(file) ? null : t('signatureRule')),
    },
  });
  const upload = useChange(
    (values: ImageFiles) => uploadImage(session, values),
    () => form.reset(),
  );
  const submit = ({ image, signature, ...values }: Values) => {
    if (image === null || signature === null) return;
    upload.mutate({ ...values, image, signature }, { onError: (error) => form.setErrors(fieldErrors(error, values)) });
  };
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <Text c="dimmed">{t('uploadHint')}</Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label={t('model')} description={t('modelHint')} required {...form.getInputProps('model')} />
          <TextInput label={t('version')} description={t('versionHint')} required {...form.getInputProps('version')} />
          <FileInput label={t('imageFile')} placeholder={t('chooseFile')} required {...form.getInputProps('image')} />
          <FileInput
            label={t('signatureFile')}
            placeholder={t('chooseFile')}
            required
            {...form.getInputProps('signature')}
          />
          <TextInput label={t('keyId')} description={t('keyIdHint')} required {...form.getInputProps('keyId')} />
        </SimpleGrid>
        <ErrorAlert error={upload.error} />
        {upload.isSuccess && (
          <Alert color="teal" variant="light" role="status">
            {t('uploaded')}
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={upload.isPending}>
            {t('upload')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
