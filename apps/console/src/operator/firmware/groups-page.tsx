import { Anchor, Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../core/errors/error-texts.js';
import { DateTime } from '../../ui/date-time.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { QueryView } from '../../ui/query-view.js';
import { Section } from '../../ui/section.js';
import { useOperator } from '../session/use-operator.js';
import { Page } from '../shared/page.js';
import { ItemList } from '../shared/paged-list.js';
import { useChange } from '../shared/use-change.js';
import { groupsQuery } from '../watches/queries.js';

/** The groups of watches to which rollouts can be limited. */
export function GroupsPage() {
  const { t } = useTranslation('operatorFirmware');
  const groups = useQuery(groupsQuery(useOperator()));
  return (
    <Page title={t('groups')}>
      <Section title={t('createGroup')}>
        <CreateGroup />
      </Section>
      <Section title={t('groups')}>
        <QueryView query={groups}>
          {({ items }) => (
            <ItemList
              label={t('groups')}
              items={items}
              keyOf={({ groupId }) => groupId}
              columns={[
                {
                  name: t('name'),
                  value: ({ groupId, name }) => (
                    <Anchor
                      renderRoot={(props) => <Link {...props} to="/operator/groups/$groupId" params={{ groupId }} />}
                    >
                      {name}
                    </Anchor>
                  ),
                },
                { name: t('groupId'), value: ({ groupId }) => groupId },
                { name: t('createdAt'), value: ({ createdAt }) => <DateTime time={createdAt} /> },
              ]}
            />
          )}
        </QueryView>
      </Section>
    </Page>
  );
}

function CreateGroup() {
  const { t } = useTranslation('operatorFirmware');
  const { client } = useOperator();
  const fieldErrors = useFieldErrors();
  const form = useForm({ initialValues: { name: '' } });
  const create = useChange(
    (values: { name: string }) => client.createFirmwareGroup(values),
    () => form.reset(),
  );
  return (
    <form
      onSubmit={form.onSubmit((values) =>
        create.mutate(values, { onError: (error) => form.setErrors(fieldErrors(error, values)) }),
      )}
      noValidate
    >
      <Group align="end" mb="sm">
        <TextInput flex={1} miw={200} label={t('name')} required {...form.getInputProps('name')} />
        <Button type="submit" loading={create.isPending}>
          {t('create')}
        </Button>
      </Group>
      <ErrorAlert error={create.error} />
    </form>
  );
}
