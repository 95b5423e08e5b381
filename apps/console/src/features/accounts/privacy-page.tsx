import { Alert, Badge, Button, Group, List, NavLink, Spoiler, Stack, Switch, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { TbChevronRight, TbEye } from 'react-icons/tb';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { useLanguage } from '../../core/texts.js';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { DateTime, useDateFormat } from '../../ui/date-time.js';
import { ErrorAlert } from '../../ui/error-alert.js';
import { PageTitle } from '../../ui/page-title.js';
import { QueryView } from '../../ui/query-view.js';
import { Section } from '../../ui/section.js';
import { DataExportSection } from './data-export-section.js';
import { consentsQuery, deletionQuery, type Consent } from './queries.js';
import { useStepUp } from './step-up.js';

/** Consents, access log, export and deletion: the rights of the person over the data. */
export function PrivacyPage() {
  const { t } = useTranslation('accounts');
  const consents = useQuery(consentsQuery(useSession()));
  return (
    <Stack maw={640}>
      <PageTitle title={t('privacy')} back={{ to: '/family' }} />
      <Section title={t('accessLog')}>
        <NavLink
          h={52}
          renderRoot={(props) => <Link {...props} to="/family/account/access-log" />}
          label={t('openAccessLog')}
          leftSection={<TbEye aria-hidden />}
          rightSection={<TbChevronRight size={18} className="mantine-rotate-rtl" aria-hidden />}
        />
      </Section>
      <Section title={t('consents')}>
        <QueryView query={consents}>
          {({ items }) => items.map((consent) => <ConsentItem key={consent.purpose} consent={consent} />)}
        </QueryView>
      </Section>
      <DataExportSection />
      <AccountDeletion />
    </Stack>
  );
}

function ConsentItem({ consent: { purpose, granted, text, history } }: { consent: Consent }) {
  const { t } = useTranslation('accounts');
  const [language] = useLanguage();
  const { client } = useSession();
  const queries = useQueryClient();
  const shown = text.translations.find((each) => each.language === language) ?? { ...text, language: 'en' };
  const update = useMutation({
    mutationFn: (wanted: boolean) => client.accounts.updateConsent({ purpose, granted: wanted }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['account', 'consents'] }),
  });
  return (
    <Stack>
      <Title order={3} size="h4">
        {t(`consent${purpose}`)}
      </Title>
      {(['keeps', 'usedFor', 'retention'] as const).map((part) => (
        <div key={part}>
          <Text size="sm" c="dimmed">
            {t(part)}
          </Text>
          {/* A screen reader must know a text without a translation. */}
          <Text lang={shown.language}>{shown[part]}</Text>
        </div>
      ))}
      <Switch
        label={t('consentGiven')}
        // The switch moves when the service has stored the change, not before.
        checked={granted}
        disabled={update.isPending}
        onChange={({ currentTarget }) => update.mutate(currentTarget.checked)}
      />
      <ErrorAlert error={update.error} />
      {history.length > 0 && (
        <Spoiler maxHeight={0} showLabel={t('showHistory')} hideLabel={t('hideHistory')}>
          <List size="sm">
            {history.map((change) => (
              <List.Item key={change.version}>
                <DateTime time={change.time} />: {t(change.granted ? 'granted' : 'withdrawn')}
              </List.Item>
            ))}
          </List>
        </Spoiler>
      )}
    </Stack>
  );
}

function AccountDeletion() {
  const { t } = useTranslation('accounts');
  const session = useSession();
  const { client } = session;
  const queries = useQueryClient();
  const withStepUp = useStepUp();
  const formatDate = useDateFormat();
  const status = useQuery(deletionQuery(session));
  const reload = () => queries.invalidateQueries({ queryKey: ['account', 'deletion'] });
  const request = useMutation({
    mutationFn: () => withStepUp((stepUp) => client.accounts.delete({ stepUp })),
    onSuccess: reload,
  });
  const cancel = useMutation({
    mutationFn: () => client.accounts.cancelDeletion(),
    onSuccess: async () => {
      await reload();
      notifications.show({ message: t('deletionCancelled') });
    },
  });
  return (
    <Section title={t('deleteAccount')}>
      <QueryView query={status}>
        {({ deletion }) =>
          deletion === null ? (
            <Stack align="start">
              <Text>{t('deleteHint')}</Text>
              <ConfirmButton label={t('deleteAccount')} question={t('deleteQuestion')} action={request} />
            </Stack>
          ) : (
            <Stack align="start">
              <Alert color="orange" variant="light" role="status" w="100%">
                <Text>{t('erasedOn', { date: formatDate(deletion.eraseAt) })}</Text>
                {deletion.ownedFamily && <Text>{t(`ownedFamily${deletion.ownedFamily.outcome}`)}</Text>}
              </Alert>
              <Group gap="xs">
                <Text size="sm">{t('receipt')}</Text>
                <Badge variant="light" tt="none">
                  {deletion.receiptId}
                </Badge>
              </Group>
              <ErrorAlert error={cancel.error} />
              <Button loading={cancel.isPending} onClick={() => cancel.mutate()}>
                {t('keepAccount')}
              </Button>
            </Stack>
          )
        }
      </QueryView>
    </Section>
  );
}
